import { isAbsolute, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { SpawnError } from '@parley/host'
import type { SandboxMode } from '@parley/protocol'
import {
  type ExecMethodName,
  type ExecMethods,
  type ExecResultOf,
  execMethods,
  type Fence,
} from '@parley/protocol/exec'
import { type CallContext, errorCodes, invalidParams, RpcError } from '@parley/rpc'
import { decodeParams } from '@parley/serving'
import { errorCode, isMissing } from '@parley/text'
import { systemErrorReason } from '@parley/workspace'

/** Handlers by method; a missing one does not compile. */
export type ExecHandlers = {
  readonly [Name in ExecMethodName]: (
    params: ExecMethods[Name]['decoded'],
    context: CallContext,
  ) => ExecResultOf<Name> | Promise<ExecResultOf<Name>>
}

/** Returns the parameters as the method's schema decodes them. Throws `invalidParams` that names the field at fault. */
export function decodeExecParams<Name extends ExecMethodName>(
  method: Name,
  params: unknown,
): ExecMethods[Name]['decoded'] {
  return decodeParams(method, execMethods[method].params, params) as ExecMethods[Name]['decoded'] // narrowed: decoded by this method's schema
}

/** Returns the path of an absolute path or a `file:` URI. Throws `invalidParams` for any other text. */
export function pathOf(location: string, field: string): string {
  const path = location.startsWith('file:') ? pathOfUri(location, field) : location
  if (!isAbsolute(path)) throw invalidParams(`${field} must be an absolute path or a file: URI`, field)
  if (path.includes('\0')) throw invalidParams(`${field} holds a NUL byte`, field)
  return normalize(path)
}

function pathOfUri(uri: string, field: string): string {
  try {
    return fileURLToPath(uri)
  } catch {
    throw invalidParams(`${field} is not a file: URI of this machine`, field)
  }
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href
}

const sessionInUse = -32010

function rejected(code: string, message: string, more: Readonly<Record<string, unknown>> = {}): RpcError {
  return new RpcError(errorCodes.invalidRequest, message, { code, ...more })
}

/** Returns the error that clients of an exec-server know for an unknown method, before the handshake too. */
export function unknownMethod(method: string): RpcError {
  return rejected('methodNotFound', `unknown method: ${method}`, { method })
}

export const handshakeErrors = {
  notInitialized: () => rejected('notInitialized', 'client must call initialize before using exec methods'),
  notConfirmed: () => rejected('notInitialized', 'client must send initialized before using exec methods'),
  initializedTwice: () => rejected('alreadyInitialized', 'initialize may only be sent once per connection'),
  unknownSession: (id: string) =>
    rejected('unknownSession', `session ${id} is unknown or has expired; initialize without resumeSessionId`),
  notServed: (user: string) =>
    rejected('notServed', `this machine does not work for ${user}; its owner names users with --users`, { user }),
  usersUnknown: () =>
    rejected('notServed', 'this machine works for the users that its owner names, and the server has no users'),
  sessionInUse: (id: string) =>
    new RpcError(sessionInUse, `session ${id} is attached to another connection`, { code: 'sessionInUse' }),
} as const

/** Returns the error for a server that has lost its conversation to another server. */
export function epochOver({ conversation, epoch }: Fence, highest: number): RpcError {
  const text = `epoch ${epoch} of conversation ${conversation} is over: a server with epoch ${highest} has it now, so nothing was done`
  return rejected('epochOver', text, { conversation, epoch, highest })
}

/** Returns the error where the epoch that is kept of a conversation cannot be read. */
export function epochNotKnown({ conversation, epoch }: Fence, path: string): RpcError {
  const text = `whether epoch ${epoch} of conversation ${conversation} is over is not known, since ${path} cannot be read as a number, so nothing was done. Remove that file once no earlier server of the conversation runs`
  return rejected('epochNotKnown', text, { conversation, epoch })
}

/** Returns the error where an epoch cannot be written. */
export function epochNotKept({ conversation, epoch }: Fence, reason: string): RpcError {
  const text = `epoch ${epoch} of conversation ${conversation} could not be kept on this machine, so nothing was done: ${reason}`
  return rejected('epochNotKept', text, { conversation, epoch })
}

export const processErrors = {
  unknown: (processId: string) => rejected('unknownProcess', `unknown process id ${processId}`, { processId }),
  exists: (processId: string) => rejected('processExists', `process ${processId} already exists`, { processId }),
  stdinClosed: (processId: string) =>
    rejected('stdinClosed', `stdin is closed for process ${processId}`, { processId }),
  noTerminal: (processId: string) => rejected('noTerminal', `process ${processId} has no terminal`, { processId }),
  stdinFull: (processId: string) =>
    new RpcError(errorCodes.serverOverloaded, `process ${processId} does not read its stdin; send it later`, {
      code: 'stdinFull',
      processId,
    }),
  spawnFailed: ({ code, subject, message }: SpawnError) =>
    new RpcError(errorCodes.internal, message, { code: 'spawnFailed', errno: code, subject }),
  sessionEnded: () => rejected('sessionEnded', 'the session has ended'),
  sandboxUnavailable: (reason: string) =>
    rejected(
      'sandboxUnavailable',
      `the sandbox cannot be set up here, so nothing was done; leave sandbox out to run without one: ${reason}`,
    ),
  sandboxNotUnderstood: (why: string) =>
    rejected(
      'sandboxNotUnderstood',
      `the sandbox policy is not understood, so nothing was done: ${why}; leave sandbox out to run without one`,
    ),
} as const

export const copyErrors = {
  notMade: (reason: string) => rejected('copyNotMade', reason),
  tooMuch: () => rejected('copiesTooLarge', 'the copies of this session would have more than 64 MiB: nothing was kept'),
} as const

/** Errors of requests that the owner of the machine does not allow, with any right of its clients. */
export const machineErrors = {
  aboveCeiling: (most: SandboxMode, wanted: SandboxMode) =>
    rejected(
      'aboveCeiling',
      `this machine allows ${most} at most (--max-sandbox of its exec-server), and ${wanted} was asked for: nothing was done`,
      { maxSandbox: most },
    ),
  outsideRoots: (path: string) =>
    rejected(
      'outsideRoots',
      `${path} lies outside of the folders that this machine allows (--root of its exec-server): nothing was done`,
      { path },
    ),
  portsNotAllowed: () =>
    rejected(
      'portsNotAllowed',
      'the owner of this machine lets no port of its sandboxes out: nothing was done; whoever starts its exec-server can allow it with --forward yes',
    ),
  unixSocketsNotAllowed: () =>
    rejected(
      'unixSocketsNotAllowed',
      'the owner of this machine lets sandboxed processes use no unix sockets, and they were asked for: nothing was done; whoever starts its exec-server can allow them with --unix-sockets yes',
    ),
} as const

/** Errors of copies that cannot be made, in the words that clients know. */
export const entryErrors = {
  folderNeedsRecursive: () =>
    rejected('folderNeedsRecursive', 'fs/copy requires recursive: true when sourcePath is a directory'),
  copyIntoItself: () =>
    rejected('copyIntoItself', 'fs/copy cannot copy a directory to itself or one of its descendants'),
  kindNotCopied: () => rejected('kindNotCopied', 'fs/copy only supports regular files, directories, and symlinks'),
} as const

export const portErrors = {
  notReachable: (port: number) =>
    rejected('portNotReachable', `nothing listens on port ${port} in a loopback of this name`, { port }),
  unknown: (connectionId: string) =>
    rejected('unknownConnection', `unknown connection id ${connectionId}`, { connectionId }),
  lost: (connectionId: string) => rejected('connectionLost', 'the process has broken the connection', { connectionId }),
  tooMany: (most: number) =>
    new RpcError(errorCodes.serverOverloaded, `the session has ${most} connections to ports already`, {
      code: 'tooManyConnections',
    }),
} as const

const notFound = -32004

/** Returns the error of a file operation; `code` is a system error name, such as `EACCES`, or one of this protocol. */
export function fileFailure(code: string, path: string, reason: string): RpcError {
  return new RpcError(errorCodes.internal, `${path}: ${reason}`, { code, path })
}

/** Returns a system error as an error for the client, and any other error unchanged, since it is a defect. */
export function asFileFailure(error: unknown, path: string): unknown {
  const code = errorCode(error)
  if (error instanceof RpcError || code === null) return error
  const reason = systemErrorReason(error)
  return isMissing(error)
    ? new RpcError(notFound, `${path}: ${reason}`, { code, path })
    : fileFailure(code, path, reason)
}

const maxHidden = 256
const maxHiddenBytes = 64 * 1024

/** Returns the texts that were written to a process as secrets, for the next server of its conversation. In memory only. */
export function createHiddenTexts() {
  const all = new Set<string>()
  return {
    get all(): readonly string[] {
      return [...all]
    },
    /** Keeps a text without its line end. Throws `invalidParams` where there would be too much of them. */
    keep(bytes: Buffer): void {
      const text = bytes.toString('utf8').replace(/\r?\n$/, '')
      // Of a write that is repeated after the link was lost, too.
      if (all.has(text)) return
      if (bytes.length > maxHiddenBytes || all.size >= maxHidden)
        throw invalidParams(
          `at most ${maxHidden} hidden texts of ${maxHiddenBytes} bytes are kept of a process`,
          'hidden',
        )
      all.add(text)
    },
  }
}

const remembered = 1000

/** Returns the ids of the newest writes, to recognise a repeated write. */
export function createWriteIds() {
  const seen = new Set<string>()
  return {
    /** Records the id and returns false when it was recorded before. */
    isNew(id: string | null | undefined): boolean {
      if (id === null || id === undefined) return true
      if (seen.has(id)) return false
      seen.add(id)
      if (seen.size > remembered) for (const oldest of seen.values().take(1)) seen.delete(oldest)
      return true
    },
  }
}
