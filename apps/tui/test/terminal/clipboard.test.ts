import { describe, expect, test } from 'vitest'
import { clipboardSequence, createClipboard, runClipboardProgram } from '../../src/terminal/clipboard.ts'

interface World {
  readonly env?: Readonly<Record<string, string>>
  readonly platform?: NodeJS.Platform
  /** Programs that are installed. */
  readonly installed?: readonly string[]
}

function world({ env = {}, platform = 'linux', installed = [] }: World) {
  const written: string[] = []
  const inputs: (readonly [string, Buffer])[] = []
  const clipboard = createClipboard({
    write: (text) => written.push(text),
    env,
    platform,
    run: async ([file], input) => {
      if (!installed.includes(file)) return false
      inputs.push([file, input])
      return true
    },
  })
  return { clipboard, written, inputs }
}

describe('the clipboard', () => {
  test('writes OSC 52 and says how much went where', async () => {
    const { clipboard, written } = world({})
    expect(await clipboard.copy('two\nlines\n', 'the item')).toEqual({
      isCopied: true,
      text: 'Copied the item (10 B, 2 lines) to the terminal (OSC 52).',
    })
    expect(written).toEqual([`\x1b]52;c;${Buffer.from('two\nlines\n').toString('base64')}\x07`])
  })

  test('in tmux also passes it through', () => {
    const sequence = clipboardSequence(Buffer.from('x'), true)
    expect(sequence).toBe('\x1b]52;c;eA==\x07\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\')
  })

  test.each([
    [{ WAYLAND_DISPLAY: 'w', DISPLAY: ':0' }, 'linux', 'wl-copy'],
    [{ DISPLAY: ':0' }, 'linux', 'xclip'],
    [{}, 'darwin', 'pbcopy'],
    [{ WSL_DISTRO_NAME: 'Debian' }, 'linux', 'clip.exe'],
  ] as const)('with %o on %s takes %s, too', async (env, platform, program) => {
    const { clipboard, inputs } = world({ env, platform, installed: [program, 'xsel'] })
    expect((await clipboard.copy('ä', 'it')).text).toContain(`to ${program} and the terminal`)
    expect(inputs.map(([file]) => file)).toEqual([program])
  })

  test('takes the next program where one is missing', async () => {
    const { clipboard } = world({ env: { DISPLAY: ':0' }, installed: ['xsel'] })
    expect((await clipboard.copy('x', 'it')).text).toContain('to xsel and')
  })

  test('takes no program over SSH', async () => {
    const { clipboard, inputs } = world({ env: { DISPLAY: ':0', SSH_CONNECTION: '1' }, installed: ['xclip'] })
    await clipboard.copy('x', 'it')
    expect(inputs).toEqual([])
  })

  test('says that a text is too long for terminals', async () => {
    const { clipboard, written } = world({})
    const { isCopied, text } = await clipboard.copy('x'.repeat(80_000), 'it')
    expect(isCopied).toBe(false)
    expect(text).toMatch(/^Not copied: it has 78 KB.* terminals take 73 KB/)
    expect(written).toEqual([])
  })

  test('copies a long text by a program', async () => {
    const { clipboard } = world({ platform: 'darwin', installed: ['pbcopy'] })
    expect((await clipboard.copy('x'.repeat(80_000), 'it')).text).toBe('Copied it (78 KB, 1 line) to pbcopy.')
  })

  test('says that there is nothing', async () => {
    expect(await world({}).clipboard.copy('', 'it')).toEqual({
      isCopied: false,
      text: 'Nothing was copied: it is empty.',
    })
  })
})

test('a program that is missing or fails takes nothing', async () => {
  expect(await runClipboardProgram(['parley-has-no-such-program'], Buffer.from('x'))).toBe(false)
  expect(await runClipboardProgram(['false'], Buffer.from('x'.repeat(1_000_000)))).toBe(false)
  expect(await runClipboardProgram(['true'], Buffer.from('x'))).toBe(true)
})
