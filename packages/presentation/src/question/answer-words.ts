import type { Approval } from '@parley/protocol'
import { isForm, planWords, reachOfAlways } from '@parley/protocol/question'
import { shownLine } from '../text/control-characters.ts'
import type { ChosenAnswer } from './answers.ts'

interface ChoiceWords {
  readonly labels: Readonly<Record<ChosenAnswer, string>>
  /** Request for words that follow a no; empty where a no is enough. */
  readonly noteHint: string
}

/** Returns the words of the choices. `isBrief`: beside each other in one row. */
export function choiceWords(approval: Approval, isBrief: boolean): ChoiceWords {
  const remember = alwaysWords(approval)
  if (isForm(approval.kind)) return { labels: formLabels(approval, remember), noteHint: '' }
  const isPlan = approval.kind === 'plan'
  const labels = isPlan ? planLabels(remember, isBrief) : callLabels(approval, remember, isBrief)
  if (isBrief) return { labels, noteHint: '' }
  return { labels, noteHint: isPlan ? 'say what to change' : 'say what to do instead' }
}

function formLabels({ form }: Approval, remember: string): ChoiceWords['labels'] {
  const isPlain = (form?.fields.length ?? 0) === 0
  return {
    yes: isPlain ? 'yes' : 'answer it',
    yesForConversation: '',
    yesToAny: '',
    remember,
    note: isPlain ? 'no' : 'do not answer',
    stop: 'stop',
  }
}

function callLabels(approval: Approval, remember: string, isBrief: boolean): ChoiceWords['labels'] {
  const { covers = 'calls like this', any = '' } = approval.forSession ?? {}
  const yesTo = (calls: string) =>
    isBrief ? `yes, not again for ${shownLine(calls)}` : `yes, and not again for ${shownLine(calls)}, until I leave`
  return {
    yes: isBrief ? 'yes' : 'yes, this once',
    yesForConversation: yesTo(covers),
    yesToAny: yesTo(any),
    remember: isBrief ? 'remember …' : remember,
    note: 'no …',
    stop: 'stop',
  }
}

function planLabels(remember: string, isBrief: boolean): ChoiceWords['labels'] {
  const { ask, edit, plan } = planWords
  return {
    yes: isBrief ? 'work, asked' : ask,
    yesForConversation: isBrief ? 'work' : edit,
    yesToAny: '',
    remember,
    note: isBrief ? 'keep planning …' : `${plan} …`,
    stop: 'stop',
  }
}

/** Returns the calls that a permanent yes would allow, in the words of its key. */
export function alwaysWords({ always, kind }: Approval): string {
  return `always allow \`${shownLine(always?.label ?? '')}\` (${reachOfAlways(kind)})`
}
