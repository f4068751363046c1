/**
 * Makes the nth call of one kind fail in a program of parley, as the system would: loaded by `--import`, it reads
 * `PARLEY_TEST_NTH` (`KIND/ERRNO/NTH/PROGRAM`; kinds: files, processes, network) and appends the number of calls to
 * `PARLEY_TEST_CALLS` at the end.
 */
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { dirname } from 'node:path'

const [kind, errno, nth, program] = (process.env.PARLEY_TEST_NTH ?? '').split('/')
const script = process.argv[1] ?? ''
if (script.endsWith(`/${program}`)) {
  let calls = 0
  const number = os.constants.errno[errno]
  const isNth = (name, subject) => {
    calls += 1
    if (calls === Number(nth))
      original.append(process.env.PARLEY_TEST_CALLS, `${`failed ${name} ${subject}`.trimEnd()}\n`)
    return calls === Number(nth)
  }
  const original = { append: fs.appendFileSync }
  process.on('exit', () => original.append(process.env.PARLEY_TEST_CALLS, `calls ${calls}\n`))
  const kinds = { files: failFiles, processes: failProcesses, network: failNetwork }
  kinds[kind](isNth)

  function errorOf(name, subject) {
    const path = typeof subject === 'string' ? { path: subject } : {}
    return Object.assign(new Error(`${errno}: injected, ${name}`), {
      errno: -number,
      code: errno,
      syscall: name,
      ...path,
    })
  }

  function failFiles() {
    const own = dirname(script)
    const counts = (subject) =>
      !String(subject).startsWith(own) && !String(subject).startsWith('/proc/') && !String(subject).startsWith('/sys/')
    const fails = (name, [subject]) => counts(subject) && isNth(name, String(subject).slice(0, 100))
    const sync = Object.keys(fs).filter(
      (name) => name.endsWith('Sync') && typeof fs[name] === 'function' && name !== 'existsSync',
    )
    for (const name of sync) {
      const real = fs[name]
      fs[name] = like(real, function (...args) {
        if (!fails(name, args)) return real.apply(this, args)
        if (name === 'closeSync') real.apply(this, args)
        throw errorOf(name, args[0])
      })
    }
    const callbacks = [
      'open',
      'close',
      'read',
      'write',
      'fsync',
      'fdatasync',
      'stat',
      'lstat',
      'fstat',
      'readdir',
      'mkdir',
      'rename',
      'unlink',
      'rm',
      'readFile',
      'writeFile',
      'realpath',
      'readlink',
      'access',
      'chmod',
      'ftruncate',
    ]
    for (const name of callbacks) {
      const real = fs[name]
      fs[name] = like(real, function (...args) {
        if (!fails(name, args)) return real.apply(this, args)
        if (name === 'close') real.call(this, args[0], () => {})
        process.nextTick(args.at(-1), errorOf(name, args[0]))
      })
    }
    for (const name of Object.keys(fs.promises).filter((each) => typeof fs.promises[each] === 'function')) {
      const real = fs.promises[name]
      fs.promises[name] = function (...args) {
        return fails(name, args) ? Promise.reject(errorOf(name, args[0])) : real.apply(this, args)
      }
    }
    syncBuiltinESMExports()
  }

  /** Gives the wrapped function what Node has noted on the real one (`native`, how it is promisified). */
  function like(real, wrapped) {
    for (const key of Reflect.ownKeys(real)) {
      if (['length', 'name', 'prototype'].includes(key)) continue
      Object.defineProperty(wrapped, key, Object.getOwnPropertyDescriptor(real, key))
    }
    return wrapped
  }

  /** Below Node's own handling: returns what the system would; `instead` leaves what a failed call leaves. */
  function failHandle(handle, names, instead = () => undefined) {
    const prototype = Object.getPrototypeOf(handle)
    for (const name of names) {
      let owner = prototype
      while (owner !== null && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
      if (owner === null) continue
      const real = prototype[name]
      prototype[name] = function (...args) {
        if (!isNth(name, '')) return real.apply(this, args)
        instead(this, real, args)
        return -number
      }
    }
  }

  function failProcesses() {
    // A fork that fails leaves pipes that have ended, as a program that is not there does.
    const nothing = '/dev/null/nothing'
    const spawnNothing = (handle, spawn, [first, ...rest]) =>
      spawn.call(handle, typeof first === 'string' ? nothing : { ...first, file: nothing }, ...rest)
    failHandle(new childProcess.ChildProcess()._handle, ['spawn'], spawnNothing)
  }

  function failNetwork() {
    const { TCP } = process.binding('tcp_wrap')
    failHandle(new TCP(0), [
      'connect',
      'connect6',
      'writeUtf8String',
      'writeLatin1String',
      'writeBuffer',
      'writev',
      'readStart',
      'shutdown',
    ])
  }
}
