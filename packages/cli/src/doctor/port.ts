import { type Finding, ill, well } from './finding.ts';

/** What was found at the address that a host of this directory would listen on. */
export type PortState =
  /** The host of this state directory runs. */
  | { readonly kind: 'ours'; readonly url: string }
  | { readonly kind: 'free' }
  /** Another Fairlead listens there. */
  | { readonly kind: 'fairlead' }
  /** Something else does; `answer` is what it said to a request, where it said anything. */
  | { readonly kind: 'foreign'; readonly answer: string | null }
  | { readonly kind: 'refused'; readonly reason: string };

/** Whether a host can listen, and who does instead. */
export function checkPort(bind: string, port: number, state: PortState): Finding {
  const check = 'port';
  const where = `port ${port} on ${bind}`;
  switch (state.kind) {
    case 'ours':
      return well(check, `the host of this state directory answers at ${state.url}`);
    case 'free':
      return well(check, port === 0 ? 'any free port is taken' : `${where} is free`);
    case 'fairlead':
      return ill('fail', {
        check,
        what: `${where} is taken by a Fairlead of another state directory`,
        code: 'port_in_use',
        next: 'Use that one by its --state-dir, or give this one another port with --port or gateway.port.',
      });
    case 'foreign':
      return ill('fail', {
        check,
        what: `${where} is taken by another program${state.answer === null ? '' : `, which answers ${state.answer}`}`,
        code: 'port_in_use',
      });
    case 'refused':
      return ill('fail', {
        check,
        what: `this machine does not let anybody listen on ${where} (${state.reason})`,
        code: 'bind_failed',
      });
  }
}
