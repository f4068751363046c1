/**
 * Makes the nth call of one kind fail in a program of parley, as the system would: loaded by `--import`, it reads
 * `PARLEY_TEST_NTH` (`KIND/ERRNO/NTH/PROGRAM/FILE`; kinds: files, processes, network; with FILE only calls on files of
 * that name count) and appends the number of calls to
 * `PARLEY_TEST_CALLS` at the end.
 */
import childProcess from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { dirname } from 'node:path'
import { interceptDisk } from '../disk/intercept-disk.ts'

const [kind, errno, nth, program, file = ''] = (process.env.PARLEY_TEST_NTH ?? '').split('/')
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
  await kinds[kind]()

  function errorOf(name, subject) {
    const path = typeof subject === 'string' ? { path: subject } : {}
    return Object.assign(new Error(`${errno}: injected, ${name}`), {
      errno: -number,
      code: errno,
      syscall: name,
      ...path,
    })
  }

  async function failFiles() {
    const own = dirname(script)
    const counts = (subject) =>
      subject.endsWith(file) && ![own, `file://${own}`, '/proc/', '/sys/'].some((place) => subject.startsWith(place))
    await interceptDisk(({ name, args: [subject] }) => {
      if (!counts(String(subject)) || !isNth(name, String(subject).slice(0, 100))) return
      // The kernel has closed it, whatever it answers.
      if (name === 'close' && typeof subject === 'number') fs.closeSync(subject)
      throw errorOf(name, subject)
    })
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
