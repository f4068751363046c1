import { hasFullSandbox, noFullSandbox } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, inBox, placeFor, shell } from './support/far-talk.ts'

let machine: FarMachine

beforeAll(async () => {
  machine = await startFarMachine()
})

afterAll(() => machine[Symbol.asyncDispose]())

/** Denies lines with `forbidden`, and writes down what it was told and where it ran. */
const guard = `read -r input
echo "$input" > seen.json
pwd > seen-folder; echo "$PARLEY_PROJECT_DIR" > seen-project; echo "$HOME" > seen-home
case "$input" in *forbidden*) echo "not that one" >&2; exit 2;; esac`

describe('a hook of the user', () => {
  it('runs on the machine of the conversation, with what is told to it there, and stops what it stops here', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    place.far.write('.git/HEAD', 'ref: refs/heads/main\n')
    place.far.write('sub/guard.sh', guard)
    const { watched } = await place.talk(
      calling(shell('echo forbidden > ran'), shell('echo fine > ran')),
      { config: hook('PreToolUse', 'sh guard.sh') },
      { ...inBox, environmentCwd: 'sub' },
    )
    await watched.send('go')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(watched.items().filter(({ type }) => type === 'commandExecution')).toMatchObject([
      { status: 'denied', modelText: expect.stringContaining('not that one') },
      { status: 'completed' },
    ])
    const seen = (name: string) => place.far.read(`sub/${name}`).trim()
    expect(seen('ran')).toBe('fine')
    expect(JSON.parse(seen('seen.json'))).toMatchObject({ hook_event_name: 'PreToolUse', cwd: `${place.far.work}/sub` })
    expect([seen('seen-folder'), seen('seen-project'), seen('seen-home')]).toEqual([
      `${place.far.work}/sub`,
      place.far.work,
      place.far.home,
    ])
  })

  it('that is not on that machine fails, and stops the call where it is required', async () => {
    await using place = placeFor(machine.newFolder())
    const { watched } = await place.talk(calling(shell('echo fine > ran')), {
      config: hook('PreToolUse', 'sh /nowhere/guard.sh', 'required = true'),
    })
    await watched.send('go')
    await watched.turnEnded()
    const ran = watched.events.flatMap(({ event }) => (event.type === 'hook.ran' ? [event] : []))
    expect(ran).toMatchObject([{ outcome: 'stopped', exitCode: expect.any(Number) }])
    expect(() => place.far.read('ran')).toThrow('ENOENT')
  })

  it.each(['sh guard.sh', '"$PARLEY_PROJECT_DIR"/guard.sh'])(
    'outside the sandbox (%s) does not run where commands may write to its script',
    async (command) => {
      await using place = placeFor(machine.newFolder())
      place.far.write('guard.sh', guard)
      const { watched } = await place.talk(calling(shell('echo fine > ran')), {
        config: hook('PreToolUse', command, 'required = true\noutside_sandbox = true'),
      })
      await watched.send('go')
      await watched.turnEnded()
      const ran = watched.events.flatMap(({ event }) => (event.type === 'hook.ran' ? [event] : []))
      expect(ran).toMatchObject([
        { outcome: 'stopped', reason: expect.stringContaining('lies where commands of the conversation may write') },
      ])
      expect(() => place.far.read('seen.json')).toThrow('ENOENT')
    },
  )
})

function hook(event: string, command: string, more = ''): string {
  return `\n[[hooks.${event}]]\n[[hooks.${event}.hooks]]\ncommand = '''${command}'''\n${more}\n`
}
