/** Aborts with either; composed only where there are two. */
export function eitherSignal(own: AbortSignal | undefined, session: AbortSignal): AbortSignal {
  return own === undefined ? session : AbortSignal.any([own, session]);
}
