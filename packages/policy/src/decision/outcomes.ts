export type DecisionCode =
  | 'noSandbox'
  | 'policyNever'
  | 'deniedByRule'
  | 'escalationRefused'
  | 'networkRefused'
  | 'outsideRoots'
  | 'dangerous'

export interface Outcome {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly code?: DecisionCode
  /** An allow rule may answer this question. Rules save questions; they never widen what the sandbox mode permits. */
  readonly liftable?: true
  /** A yes to this question is a yes to going past the sandbox. */
  readonly pastSandbox?: true
  readonly reason: string
}

/** True wherever it runs, on another machine as well. Under `never` no rule can allow what is refused. */
const waysOut =
  'Ways out, for the user: an approval policy that may ask (--ask-for-approval on-request), where rules in policy.toml' +
  ' can allow single commands; or no limits at all (--sandbox danger-full-access).'

export const unlimitedTool = 'what this tool does is not limited by the sandbox'
/** For one whose server runs in the sandbox. */
export const limitedTool = 'its server runs inside the sandbox, and what the tool does there is not known'

/** What a cell of the matrix means. The keys, after `builtin:`, are the rule names people see. */
export const outcomes = {
  'known-safe': { verdict: 'allow', reason: 'it only looks, and only with options known to be harmless' },
  sandboxed: { verdict: 'allow', reason: 'the sandbox limits what it can do' },
  'full-access': { verdict: 'allow', reason: 'the sandbox mode is danger-full-access' },
  untrusted: {
    verdict: 'ask',
    liftable: true,
    reason: 'the approval policy is untrusted and this is not known to be harmless',
  },
  'no-sandbox': {
    verdict: 'ask',
    liftable: true,
    reason: 'nothing here enforces a sandbox, so all that is not known to be harmless is asked',
  },
  'no-sandbox-never': {
    verdict: 'deny',
    code: 'noSandbox',
    reason: `nothing here enforces a sandbox, and the approval policy is never. ${waysOut}`,
  },
  'partial-sandbox': {
    verdict: 'ask',
    liftable: true,
    reason: 'the sandbox here is partial, so only known read-only commands run unasked',
  },
  'partial-sandbox-never': {
    verdict: 'deny',
    code: 'noSandbox',
    reason: `the sandbox here is partial, and the approval policy is never. ${waysOut}`,
  },
  escalation: { verdict: 'ask', pastSandbox: true, reason: 'it asks to run outside the sandbox' },
  'escalation-never': {
    verdict: 'deny',
    code: 'escalationRefused',
    reason: 'it asks to run outside the sandbox, and the approval policy is never: try it without escalation',
  },
  network: { verdict: 'ask', reason: 'it asks to use the network' },
  'network-never': {
    verdict: 'deny',
    code: 'networkRefused',
    reason:
      'it asks to use the network, and the approval policy is never: try it without, or let the user set network_access in [sandbox_workspace_write] of config.toml',
  },
  dangerous: { verdict: 'ask', reason: 'it destroys things for good' },
  'dangerous-never': {
    verdict: 'deny',
    code: 'dangerous',
    reason: 'it destroys things for good, and the approval policy is never',
  },
  'patch-inside-roots': { verdict: 'allow', reason: 'every file lies inside the writable folders' },
  'patch-read-only': { verdict: 'ask', pastSandbox: true, reason: 'the sandbox mode is read-only' },
  'patch-read-only-never': {
    verdict: 'deny',
    code: 'policyNever',
    reason: 'the sandbox mode is read-only, and the approval policy is never',
  },
  'patch-outside-roots': { verdict: 'ask', pastSandbox: true, reason: 'a file lies outside the writable folders' },
  'patch-outside-roots-never': {
    verdict: 'deny',
    code: 'outsideRoots',
    reason: 'a file lies outside the writable folders, and the approval policy is never',
  },
  'patch-protected': { verdict: 'ask', pastSandbox: true, reason: 'it changes a protected file' },
  'patch-protected-never': {
    verdict: 'deny',
    code: 'policyNever',
    reason: 'it changes a protected file, and the approval policy is never',
  },
  'read-inside-roots': { verdict: 'allow', reason: 'it only reads, inside the working folders' },
  'read-outside-roots': { verdict: 'allow', reason: 'it only reads, and reading is not limited except for secrets' },
  'read-secret': { verdict: 'ask', pastSandbox: true, reason: 'it reads where secrets are kept' },
  'read-secret-never': {
    verdict: 'deny',
    code: 'policyNever',
    reason: 'it reads where secrets are kept, and the approval policy is never',
  },
  'tool-read-only': { verdict: 'allow', reason: 'the tool changes nothing outside the conversation' },
  'tool-effects': { verdict: 'ask', liftable: true, reason: unlimitedTool },
  'tool-effects-never': {
    verdict: 'deny',
    code: 'policyNever',
    reason: `${unlimitedTool}, and the approval policy is never`,
  },
} as const satisfies Record<string, Outcome>

export type OutcomeName = keyof typeof outcomes
