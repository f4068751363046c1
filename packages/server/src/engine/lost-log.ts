import { LOG_CHANGED, LOG_DELETED, LOG_MOVED, LOG_REPLACED, type StorageError } from '@parley/journal'

const stops = 'The conversation stops here so that nothing unsaved is shown.'

/** By the log's own codes: what others did to it, what that means, and what to do. */
const sentences: Readonly<Record<string, (path: string) => string>> = {
  [LOG_MOVED]: (path) =>
    `The log ${path} was moved away while it was open. ${stops} Put it back; if it does not go on then, leave it and resume it.`,
  [LOG_DELETED]: (path) =>
    `The log ${path} was deleted while it was open. ${stops} Restore the file and resume the conversation, or begin a new one.`,
  [LOG_REPLACED]: (path) =>
    `Another file was put in the place of the log ${path} while it was open. ${stops} Leave the conversation, put the right file there and resume it.`,
  [LOG_CHANGED]: (path) =>
    `Another program wrote to the log ${path} or cut it while it was open. ${stops} Leave the conversation everywhere and resume it: it goes on from what the log holds.`,
}

/** The sentence for a log that others changed; null for any other failure. */
export function lostLogText({ code, path }: StorageError): string | null {
  return sentences[code]?.(path) ?? null
}
