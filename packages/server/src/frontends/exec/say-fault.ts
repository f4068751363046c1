import type { PeerFault, UnreadableReason } from '@parley/rpc'

const unreadable: Readonly<Record<UnreadableReason, string>> = {
  tooLong: 'a line is longer than 32 MiB',
  notUtf8: 'a line is not UTF-8',
  notJson: 'a line is not JSON',
  tooDeep: 'a line is nested too deep',
  repeatedId: 'a message has two ids',
  binary: 'a frame is binary, not text',
}

/** For stderr: what is wrong with what a client sent, or with us. Of what it can do at will only the first is told. */
export function sayFault(fault: PeerFault): string {
  switch (fault.code) {
    case 'handlerFailed':
      return `${fault.method}: ${String(fault.cause)}`
    case 'unreadable':
      return `A client sent what cannot be read: ${unreadable[fault.reason]}. It was answered with an error.`
    case 'unknownReply':
      return 'A client answered what it was not asked.'
    case 'notUnderstood':
      return `A client could not read what it was sent: ${fault.error.message}.`
  }
}
