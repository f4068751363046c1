import { backgroundLost, type EndedCommand, goesOn, type Item, type ItemId, type ItemOf } from '@parley/protocol'
import { exitWords, secondsText } from '@parley/text'

/** Code of the notice that background commands have ended. */
export const backgroundEnded = 'backgroundEnded'

/** Code of the notice that a background command has printed the awaited text. */
export const backgroundPrinted = 'backgroundPrinted'

/** Code of the notice that a user typed into a background command. */
export const backgroundTyped = 'backgroundTyped'

/** Codes of notices about background commands, which come at any moment. */
export const aboutBackground: ReadonlySet<string> = new Set([backgroundEnded, backgroundPrinted, backgroundTyped])

/** Notes a command that was left in the background, by its item. */
export function noteBackground(background: Map<ItemId, string>, item: Item): void {
  if (goesOn(item)) background.set(item.id, item.title)
}

export function lostTitle(background: ReadonlyMap<ItemId, string>): string {
  const names = [...background].map(([id, title]) => `${title} (${id})`).join(', ')
  const which = background.size === 1 ? 'A background command' : `${background.size} background commands`
  const run = background.size === 1 ? 'runs' : 'run'
  return `${which} of an earlier session no longer ${run} here: ${names}. Start anew what is still needed.`
}

/** Returns how a background command ended, for people and the model: `exit 1`, `killed by SIGTERM`, `was stopped`. */
export function endWords({ exitCode, signal, stopped, timedOut, durationMs }: EndedCommand): string {
  const time = durationMs === undefined ? '' : ` after ${secondsText(durationMs)}`
  if (timedOut === true) return `ended by its time limit${time}`
  if (stopped === true) return `stopped${time}`
  if (signal !== undefined) return `killed by ${signal}${time}`
  return exitCode === undefined ? 'how it ended is unknown' : `${exitWords(exitCode)}${time}`
}

/** Removes the commands that a notice reports as ended. Returns its text for the model, or null. */
export function takeEnded(background: Map<ItemId, string>, notice: ItemOf<'notice'>): string | null {
  if (notice.printed !== undefined) return printedText(notice.printed)
  if (notice.typed !== undefined) return typedText(notice.typed, notice.text)
  const text = notice.code === backgroundLost ? lostText(background) : endedText(notice.ended ?? [])
  if (notice.code === backgroundLost) background.clear()
  else for (const { itemId } of notice.ended ?? []) background.delete(itemId)
  return text
}

/** The names of the commands come from the model and are left out. */
function lostText(background: ReadonlyMap<ItemId, string>): string | null {
  if (background.size === 0) return null
  const ids = [...background.keys()].join(', ')
  return `[Notice of parley, not written by the user. These background processes belong to an earlier session; they no longer run here and can be neither read nor stopped: ${ids}. Start anew what is still needed.]`
}

/** The line comes from the command and is left out. */
function printedText(itemId: ItemId): string {
  return `[Notice of parley, not written by the user. Background process ${itemId} has printed what tell_when, or the user, waits for. read_process shows it.]`
}

/** Longest typed text that the model reads, in characters. */
const typedLetters = 500

function typedText(itemId: ItemId, text: string): string {
  const shown = text.length > typedLetters ? `${text.slice(0, typedLetters)}…` : text
  const typed = text === '' ? 'ended the input of' : `typed ${JSON.stringify(shown)} into`
  return `[Notice of parley. The user ${typed} background process ${itemId}.]`
}

function endedText(ended: readonly EndedCommand[]): string | null {
  if (ended.length === 0) return null
  const ends = ended.map((end) => `${end.itemId} (${endWords(end)})`).join(', ')
  const said = ended.flatMap(({ exchanged = [] }) => exchanged.map((sentence) => ` ${sentence}`)).join('')
  return `[Notice of parley, not written by the user. Ended in the background: ${ends}. read_file "output:ID" shows what it wrote.${said}]`
}
