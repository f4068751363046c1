import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Call of a function of `node:fs`, by its name without `Sync`; of a method of a file handle, with its descriptor first. */
export interface DiskCall {
  readonly name: string
  readonly args: readonly unknown[]
}

/**
 * Runs before each call. An error that it throws fails the call; a promise delays an asynchronous call; a function that
 * it returns gets the result of a successful call.
 */
export type DiskWatch = (call: DiskCall) => ((result: unknown) => void) | Promise<void> | undefined

/** Functions that take a path or a descriptor first. */
const functionNames: readonly string[] = [
  ...['open', 'close', 'read', 'write', 'readFile', 'writeFile', 'appendFile', 'copyFile', 'truncate', 'ftruncate'],
  ...['fsync', 'fdatasync', 'stat', 'lstat', 'fstat', 'chmod', 'fchmod', 'access', 'realpath', 'readlink'],
  ...['readdir', 'opendir', 'mkdir', 'mkdtemp', 'rmdir', 'rm', 'rename', 'link', 'symlink', 'unlink'],
]

/** Functions of `node:fs` that do the same as the methods of a file handle, by method. */
const handleMethods: Readonly<Record<string, string>> = {
  ...{ read: 'read', write: 'write', readFile: 'readFile', writeFile: 'writeFile', appendFile: 'appendFile' },
  ...{ truncate: 'ftruncate', sync: 'fsync', datasync: 'fdatasync', stat: 'fstat', chmod: 'fchmod', close: 'close' },
}

type FsFunction = (self: unknown, args: readonly unknown[]) => unknown

/**
 * Calls a function before each call of `node:fs` in this process, in all forms of these functions. Calls inside of
 * another call, other processes, and native code such as SQLite are not intercepted.
 */
export async function interceptDisk(watch: DiskWatch): Promise<Disposable> {
  const undo: (() => void)[] = []
  const inside = createInside()

  function replace(owner: object, key: string, wrap: (call: FsFunction) => FsFunction): void {
    const original: unknown = Reflect.get(owner, key)
    if (typeof original !== 'function') return
    const wrapped = wrap((self, args) => inside.run(() => Reflect.apply(original, self, [...args])))
    const apply = (_: unknown, self: unknown, args: readonly unknown[]) =>
      inside.isInside ? Reflect.apply(original, self, [...args]) : wrapped(self, args)
    Reflect.set(owner, key, new Proxy(original, { apply }))
    undo.push(() => Reflect.set(owner, key, original))
  }

  const seen: DiskWatch = (call) => {
    const then = inside.run(() => watch(call))
    return typeof then === 'function' ? (result) => inside.run(() => then(result)) : then
  }
  for (const name of functionNames) {
    replace(fs, `${name}Sync`, synchronous(seen, name))
    replace(fs, name, withCallback(seen, name))
    replace(
      fs.promises,
      name,
      promised(seen, name, (_, args) => args),
    )
  }
  const handle = await fs.promises.open('/dev/null')
  const handles: object = Object.getPrototypeOf(handle)
  await handle.close()
  for (const [method, name] of Object.entries(handleMethods))
    replace(
      handles,
      method,
      promised(seen, name, (self, args) => [descriptorOf(self), ...args]),
    )
  syncBuiltinESMExports()
  return {
    [Symbol.dispose]() {
      for (const restore of undo) restore()
      syncBuiltinESMExports()
    },
  }
}

/** Runs code without intercepting the calls that it makes. */
function createInside() {
  let isInside = false
  return {
    get isInside() {
      return isInside
    },
    run<Result>(work: () => Result): Result {
      const before = isInside
      isInside = true
      try {
        return work()
      } finally {
        isInside = before
      }
    },
  }
}

function synchronous(watch: DiskWatch, name: string): (call: FsFunction) => FsFunction {
  return (call) => (self, args) => {
    const then = watch({ name, args })
    const result = call(self, args)
    if (typeof then === 'function') then(result)
    return result
  }
}

function promised(watch: DiskWatch, name: string, argsOf: ArgsOf): (call: FsFunction) => FsFunction {
  return (call) => async (self, args) => {
    const then = watch({ name, args: argsOf(self, args) })
    if (then instanceof Promise) await then
    const result = await call(self, args)
    if (typeof then === 'function') then(result)
    return result
  }
}

type ArgsOf = (self: unknown, args: readonly unknown[]) => readonly unknown[]

function withCallback(watch: DiskWatch, name: string): (call: FsFunction) => FsFunction {
  return (call) => (self, given) => {
    const callback = given.at(-1)
    if (typeof callback !== 'function') return call(self, given)
    const args = given.slice(0, -1)
    let then: ReturnType<DiskWatch>
    try {
      then = watch({ name, args })
    } catch (error) {
      setImmediate(() => Reflect.apply(callback, null, [error]))
      return undefined
    }
    const end = (error: unknown, ...results: readonly unknown[]) => {
      if (!(error instanceof Error) && typeof then === 'function') then(results[0])
      Reflect.apply(callback, null, [error, ...results])
    }
    if (then instanceof Promise) then.then(() => call(self, [...args, end]), end)
    else call(self, [...args, end])
    return undefined
  }
}

export function descriptorOf(handle: unknown): unknown {
  return typeof handle === 'object' && handle !== null && 'fd' in handle ? handle.fd : undefined
}
