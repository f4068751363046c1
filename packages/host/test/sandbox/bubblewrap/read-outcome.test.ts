import { describe, expect, it } from 'vitest'
import { readFirstProcess, readOutcome } from '../../../src/sandbox/bubblewrap/inner-shell.ts'

const child = '{ "child-pid": 4711, "pid-namespace": 4026532181 }\n'
const exited = `${child}{ "exit-code": 0 }\n`
const counted = (noRoute: number, noPorts = 0) =>
  `Ip: Forwarding OutDiscards OutNoRoutes\nIp: 1 7 ${noRoute}\nUdp: InDatagrams NoPorts\nUdp: 3 ${noPorts}\n`

describe('what a sandbox says', () => {
  it('tells the first process, as bwrap has told it first', () => {
    expect(readFirstProcess('')).toBeNull()
    expect(readFirstProcess('{ "child-')).toBeNull()
    expect(readFirstProcess(`${child}{ "child-pid": 1 }\n`)).toBe(4711)
  })

  it.each([
    ['bwrap failed before there was anything', '', '', false],
    ['bwrap failed at a mount', child, '', false],
    ['the command ended', exited, 'began\nleft 0\n', true],
    ['bwrap was killed meanwhile', child, 'began\n', true],
    ['the command has wiped out the report', exited, '', true],
  ])('%s', (_, status, report, ran) => {
    expect(readOutcome(status, report)).toEqual({ ran, leftovers: 0 })
  })

  it.each([
    ['nothing was sent', counted(0), false],
    ['a packet had no way out', counted(1), true],
    ['a packet of version 6 had no way out', `${counted(0)}Ip6OutNoRoutes 2\n`, true],
    ['nobody answered a look-up', counted(0, 1), true],
  ])('%s', (_, counts, triedNetwork) => {
    expect(readOutcome(exited, `began\nleft 3\n${counts}`)).toEqual({ ran: true, leftovers: 3, triedNetwork })
  })

  it.each(['left -1\n', 'left 99999999999999\n', 'left x\n', 'Ip: OutNoRoutes\n', 'Ip: A\nIp: 1\n', '\0\n'])(
    'nonsense of a command (%j) is not believed',
    (nonsense) => {
      expect(readOutcome(exited, `began\n${nonsense}`)).toEqual({ ran: true, leftovers: 0 })
    },
  )
})
