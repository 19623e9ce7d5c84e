/**
 * One step of the schema. Its number is its place in the list, first 1, and stands in its file name; once released it is
 * never edited, only followed.
 */
export type Migration = { readonly name: string; readonly statements: readonly string[] };
