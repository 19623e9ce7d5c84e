/** Every process of a tree carries it, with `<runner token>.<tree token>`. */
export const PROVIDER_VARIABLE = 'FAIRLEAD_PROVIDER';
