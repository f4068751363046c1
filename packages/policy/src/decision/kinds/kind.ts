import type { ApprovalKind, ApprovalPolicy, RunLimits, SandboxMode } from '@parley/protocol'
import type * as z from 'zod'
import type { LimitSettings, MatrixRow, SandboxPolicy, SandboxUse } from '../rules/matrix.ts'
import type { Rule, Rules, RuleTarget, WiderRight } from '../rules/rules.ts'

/** Match of the rules of a policy file with a call. Rules about whole tools are matched apart. */
export interface RuleMatching<F> {
  /** Returns the allow rule that covers the whole call. */
  allowedBy?(facts: F, allowing: Rules): Rule | null
  /** Returns the allow rule that gives the whole call a right beyond the sandbox. */
  widenedBy?(facts: F, allowing: Rules, right: WiderRight): Rule | null
  /** Returns true for a call that no allow rule may cover, not even one about the whole tool. */
  isNeverAllowed?(facts: F): boolean
  /** Prepares the match of strict rules with any part of the call. Rules about paths are matched apart. */
  strictMatcher?(facts: F): (target: RuleTarget) => boolean
  /** Returns the paths that strict rules about paths are matched with; no paths by default. */
  paths?(facts: F): RulePaths
  /**
   * Returns the targets of allow rules that would cover the call in future, or null when such rules may not be offered.
   */
  alwaysTargets?(facts: F): readonly RuleTarget[] | null
}

/** Limits that a call asks for, and the limits in force. */
export interface CallLimits<F> {
  /** Returns whether the call itself asks to run outside the sandbox. */
  escalates?(facts: F): boolean
  /** Returns the facts without requests for rights that every call has. */
  withoutNeedlessRequest?(facts: F, policy: SandboxPolicy): F
  /** Returns the limits in force for the call; `usualLimits` by default. */
  limits?(facts: F, use: SandboxUse, settings: LimitSettings): RunLimits
  /** Returns the narrowest sandbox mode that lets as much happen as the call; by its limits unless told. */
  reach?(facts: F): SandboxMode
  /** True when each call has limits of its own: approval binds to them, and the decision records them. */
  readonly hasOwnLimits?: true
}

/**
 * Kind of facts: all that policy does with facts `F`. The members are methods, so that the table of kinds can hold them
 * all as one type.
 */
export interface FactsKind<F> extends RuleMatching<F>, CallLimits<F> {
  /** Creates the schema of the facts as they are stored in the log. */
  schema(): z.ZodType<F>
  /** Returns the row of the matrix for this call; the stricter one where several fit. */
  row(facts: F): MatrixRow
  /** Returns the detail of this call that led to its row, for the reason; an empty text without such a detail. */
  particulars(facts: F): string
  /** Describes the facts for people. */
  describe(facts: F): readonly DescribedFact[]
  /** Returns the kind of permission that a question about the call asks for. */
  approvalKind(facts: F, run: AskedRun): ApprovalKind
  /** Returns the limits besides the sandbox that the question names; an empty record by default. */
  askedLimits?(facts: F, limits: RunLimits): AskedLimits
  /** Returns the text that the user approves; `written` by default. */
  approvedText?(facts: F, written: string): ApprovedText
  /**
   * Returns the words of a yes for the session to exactly this call, `exactly this command`; null when such a yes may
   * not be offered.
   */
  exactly?(facts: F): string | null
  /**
   * Returns the calls that a yes for the session may cover together; null, and by default, when such a yes may not be
   * offered.
   */
  alike?(facts: F): AlikeCalls | null
}

/** Calls that a yes for the session covers although they are shown with different texts. */
interface AlikeCalls {
  /** Words of the answer, which name everything that the calls share: `any call of db/query`. */
  readonly words: string
  /** Marks that these calls share. A call is covered when each of its marks was granted. */
  readonly marks: readonly string[]
}

/** Run that a question is about. */
export interface AskedRun {
  /** 2: the retry after a sandbox block. */
  readonly number: 1 | 2
  readonly limits: RunLimits
  readonly approvalPolicy: ApprovalPolicy
}

export interface AskedLimits {
  readonly network?: boolean
  /** Reason of the model for needing more rights. */
  readonly justification?: string
}

export interface DescribedFact {
  readonly about: string
  readonly text: string
}

interface RulePaths {
  /** Folder that relative patterns start from. */
  readonly cwd: string
  /** Paths as written and as resolved. A recursive one is read with everything below it. */
  readonly paths: readonly { readonly path: string; readonly real: string; readonly recursive?: boolean }[]
}

export interface ApprovedText {
  readonly text: string
  /** Returns whether a secret in the text may be masked without hiding how the call acts. */
  mayMask(secret: string): boolean
}

/** Characters that end a word of a shell or make it more than its letters, and beginnings that lead to a program. */
const moreThanAWord = /[\s\\;|&<>$`(){}*?'"!#]|^[.~]*\//

/** Returns whether a text is one word that is only passed on or written down. */
export function isInertWord(text: string): boolean {
  return !moreThanAWord.test(text)
}

const maxShown = 12

/** Describes a list by its first items and the number of the others. */
export function describeList(about: string, texts: readonly string[]): readonly DescribedFact[] {
  const shown = texts.slice(0, maxShown).map((text) => ({ about, text }))
  return texts.length <= maxShown ? shown : [...shown, { about, text: `and ${texts.length - maxShown} more` }]
}
