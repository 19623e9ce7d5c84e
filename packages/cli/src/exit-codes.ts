/** What the command's exit status means. The same table for every command; `docs/reference/cli.md` explains it. */
export const exitCodes = Object.freeze({
  /** Done. */
  done: 0,
  /** Refused or failed, the provider said `isError`, nothing could be sent, or the credential was refused. */
  failed: 1,
  /** Wrong usage; a checked provider is not ready; a reload had failures. */
  usage: 2,
  /** A call, check or reload began and its outcome is unknown; `status` found nothing running. */
  unknown: 3,
  /** `run` was broken off, as by Ctrl-C. */
  interrupted: 130,
});
