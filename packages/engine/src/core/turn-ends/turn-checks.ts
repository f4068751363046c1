import { limitDefaults } from '@parley/config/defaults'
import type { Failure, MessageCall, Turn, TurnChecks } from '@parley/protocol'
import { countedNoun, exitWords } from '@parley/text'

type Failed = NonNullable<NonNullable<Turn['checked']>['failed']>[number]

/** Tells if the checks of a turn are run before it ends: the model has answered since they were run last, and whole. */
export function areChecksDue({ checks, checked, stopReason }: Turn): boolean {
  return checks !== undefined && checked?.failed === undefined && stopReason === undefined
}

/** Tells if the model may mend the failures that its checks found; null where no checks have run since it answered. */
export function mendsChecks({ checks, checked }: Turn): boolean | null {
  if (checks === undefined || checked?.failed === undefined) return null
  return checked.failed.length > 0 && checked.times <= checks.rounds
}

/** Returns the failure that ends a turn at once: a check of it was denied, which no work of the model could change. */
export function deniedCheck(turn: Turn): Failure | null {
  const denied = turn.checked?.failed?.find(({ status }) => status === 'denied')
  return denied === undefined ? null : { code: 'checkDenied', message: deniedMessage(turn, denied) }
}

/** Returns the failure that ends a turn when its checks do not pass after the last round; null for other turns. */
export function failedChecks(turn: Turn): Failure | null {
  const failed = turn.checked?.failed ?? []
  if (failed.length === 0 || mendsChecks(turn) === true) return null
  return { code: 'checksFailed', message: failedMessage(turn, failed) }
}

function deniedMessage({ denials }: Turn, { itemId, title }: Failed): string {
  const reason = denials.find((denial) => denial.itemId === itemId)?.reason ?? 'it was denied'
  return `The check \`${title}\` was not run: ${reason}.`
}

function failedMessage({ checks, checked }: Turn, failed: readonly Failed[]): string {
  const { rounds = 0 } = checks ?? {}
  const which = failed.map((one) => `\`${one.title}\` (${howItEnded(one)})`).join(', ')
  const tries =
    rounds === 0 ? '' : `, also after ${countedNoun(Math.max(0, (checked?.times ?? 1) - 1), 'round')} of mending`
  return `The checks do not pass${tries}: ${which}. What the model has changed stays.`
}

function howItEnded({ status, exitCode }: Failed): string {
  return typeof exitCode === 'number' ? exitWords(exitCode) : status
}

/** Returns the message in the name of the user that has the checks run for the `time`th time. */
export function checkMessage({ commands, rounds }: TurnChecks, time: number): { text: string; calls: MessageCall[] } {
  const nth = rounds === 0 ? '' : `, time ${time} of at most ${rounds + 1}`
  const lines = commands.map((command) => `- \`${command}\``)
  return {
    text: `Checks${nth}: the turn ends well when each exits with 0.\n\n${lines.join('\n')}`,
    calls: commands.map((command) => ({
      name: 'shell',
      arguments: JSON.stringify({ command, timeout_ms: limitDefaults.checkTimeoutMs }),
    })),
  }
}
