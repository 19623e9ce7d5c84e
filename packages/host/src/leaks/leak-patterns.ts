/** A kind of secret that has a shape. */
export type LeakCategory =
  | 'anthropic_key'
  | 'aws_key'
  | 'bearer_token'
  | 'configured_secret'
  | 'fairlead_token'
  | 'github_fine_grained_token'
  | 'github_token'
  | 'google_key'
  | 'openai_key'
  | 'openrouter_key'
  | 'private_key'
  | 'sendgrid_key'
  | 'slack_token'
  | 'stripe_key';

export interface LeakPattern {
  readonly category: LeakCategory;
  /** Where a text has none of these, the pattern is not tried. */
  readonly hints: readonly string[];
  /**
   * Global. Linear in the length of the text: it begins with fixed letters that nothing repeats before, and each run of characters
   * ends where it stops matching.
   */
  readonly pattern: RegExp;
}

/** In the order in which they are tried: those whose beginning is a longer form of another's stand before it. */
export const leakPatterns: readonly LeakPattern[] = Object.freeze([
  {
    category: 'openrouter_key',
    hints: ['sk-or-'],
    pattern: /(?<![A-Za-z0-9])sk-or-(?:v1-)?[A-Za-z0-9]{32,}/g,
  },
  { category: 'anthropic_key', hints: ['sk-ant-'], pattern: /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{16,}/g },
  { category: 'openai_key', hints: ['sk-'], pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}/g },
  {
    category: 'github_fine_grained_token',
    hints: ['github_pat_'],
    pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{22,}/g,
  },
  {
    category: 'github_token',
    hints: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,}/g,
  },
  {
    category: 'aws_key',
    hints: ['AKIA', 'ASIA'],
    pattern: /(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  },
  { category: 'google_key', hints: ['AIza'], pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g },
  { category: 'google_key', hints: ['GOCSPX-'], pattern: /(?<![A-Za-z0-9])GOCSPX-[A-Za-z0-9_-]{20,}/g },
  {
    category: 'stripe_key',
    hints: ['_live_', '_test_'],
    pattern: /(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{20,}/g,
  },
  { category: 'slack_token', hints: ['xox'], pattern: /(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,}/g },
  { category: 'slack_token', hints: ['xapp-'], pattern: /(?<![A-Za-z0-9])xapp-[A-Za-z0-9-]{10,}/g },
  {
    category: 'sendgrid_key',
    hints: ['SG.'],
    pattern: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,128}\.[A-Za-z0-9_-]{16,}/g,
  },
  {
    category: 'fairlead_token',
    hints: ['fairlead_pat_', 'fairlead_runner_'],
    pattern: /(?<![A-Za-z0-9])fairlead_(?:pat|runner)_[A-Za-z0-9_-]{16,}/g,
  },
  {
    category: 'bearer_token',
    hints: ['earer', 'EARER'],
    pattern: /(?<![A-Za-z0-9])bearer[ \t]{1,8}[A-Za-z0-9._~+/-]{20,}=*/gi,
  },
]);
