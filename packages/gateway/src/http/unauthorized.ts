import type { TokenKind } from '../auth/token-secret.ts';
import type { RefusalReason } from '../auth/tokens.ts';
import type { RefusalExtras } from './envelope.ts';

/** What a 401 says. Only who holds a whole token of ours learns that it has ended; a guess is just unknown. */
const MESSAGES: Readonly<Record<RefusalReason, string>> = {
  token_missing: 'The request carries no `Authorization: Bearer` token.',
  token_malformed: 'The token does not have the form of a Fairlead token.',
  token_kind_wrong: '',
  token_unknown: 'The token is not one of this gateway.',
  token_expired: 'The token has expired.',
  token_revoked: 'The token was revoked.',
};

/** The message and detail of a 401 on a route that takes tokens of the kind `wanted`. */
export function unauthorizedExtras(reason: RefusalReason, wanted: TokenKind): RefusalExtras {
  const message =
    reason !== 'token_kind_wrong'
      ? MESSAGES[reason]
      : wanted === 'runner'
        ? 'This is a personal token; the Runner link takes a Runner token.'
        : 'This is a Runner token; it opens the Runner link and nothing else.';
  return { message, detail: { reason } };
}
