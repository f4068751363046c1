import { formatBytes } from '@parley/presentation/text/formats'
import { countedNoun, type ProgramByName } from '@parley/text'
import type { EnvVariables } from '../cli/folders.ts'
import { startProgram } from '../processes/start-program.ts'
import { throughTmux } from './port.ts'

/** Clipboard of the terminal and the desktop. */
export interface Clipboard {
  /** Copies the text. `what`: words for it in the result's sentence. Never rejects. */
  copy(text: string, what: string): Promise<Copied>
}

interface Copied {
  readonly isCopied: boolean
  /** Sentence about the places of the copy, or about the failure. */
  readonly text: string
}

interface ClipboardAccess {
  /** Writes to the terminal; null for a terminal that gets no sequences. */
  readonly write: ((text: string) => void) | null
  readonly env: EnvVariables
  readonly platform: NodeJS.Platform
  /** Runs a program with this text as input; resolves to false if it is missing, fails or takes too long. */
  readonly run: (argv: readonly [string, ...string[]], input: Buffer) => Promise<boolean>
}

/** Longest text in bytes that terminals take by OSC 52: some cut or ignore more than 100,000 characters. */
const terminalBytes = 74_994
const programMs = 2_000

/** Creates the clipboard of the terminal and, on the user's own machine, of the desktop. */
export function createClipboard(access: ClipboardAccess): Clipboard {
  const { write, env } = access
  return {
    async copy(text, what) {
      const bytes = Buffer.from(text)
      if (bytes.length === 0) return { isCopied: false, text: `Nothing was copied: ${what} is empty.` }
      const isShort = write !== null && bytes.length <= terminalBytes
      if (isShort) write(clipboardSequence(bytes, env['TMUX'] !== undefined))
      const program = await copyByProgram(access, text)
      const places = [...(program === null ? [] : [program]), ...(isShort ? ['the terminal (OSC 52)'] : [])]
      const size = `${formatBytes(bytes.length)}, ${lineWords(text)}`
      if (places.length > 0) return { isCopied: true, text: `Copied ${what} (${size}) to ${places.join(' and ')}.` }
      const reason = write === null ? '' : `${what} has ${size}, terminals take ${formatBytes(terminalBytes)}, and `
      const problem = `Not copied: ${reason}no clipboard program is here (wl-copy, xclip, xsel, pbcopy).`
      return { isCopied: false, text: problem }
    },
  }
}

function lineWords(text: string): string {
  return countedNoun(text.replace(/\n$/, '').split('\n').length, 'line')
}

/** Returns OSC 52; in tmux twice: for tmux itself, and passed through to the terminal around it. */
export function clipboardSequence(bytes: Buffer, isInTmux: boolean): string {
  const sequence = `\x1b]52;c;${bytes.toString('base64')}\x07`
  return isInTmux ? sequence + throughTmux(sequence) : sequence
}

async function copyByProgram({ env, platform, run }: ClipboardAccess, text: string): Promise<string | null> {
  for (const argv of programsFor(env, platform)) {
    // The program of Windows takes UTF-16 with its mark, or else the code page of the console.
    const input = argv[0] === 'clip.exe' ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(text)
    if (await run(argv, input)) return argv[0]
  }
  return null
}

/** Returns the programs that reach the clipboard of the desktop; empty over SSH, because the clipboard is on another machine. */
function programsFor(env: EnvVariables, platform: NodeJS.Platform): readonly (readonly [ProgramByName, ...string[]])[] {
  if (env['SSH_CONNECTION'] !== undefined || env['SSH_TTY'] !== undefined) return []
  if (platform === 'darwin') return [['pbcopy']]
  return [
    ...(env['WAYLAND_DISPLAY'] === undefined ? [] : [['wl-copy'] as const]),
    ...(env['DISPLAY'] === undefined
      ? []
      : ([
          ['xclip', '-selection', 'clipboard', '-in'],
          ['xsel', '--clipboard', '--input'],
        ] as const)),
    ...(env['WSL_DISTRO_NAME'] === undefined ? [] : [['clip.exe'] as const]),
  ]
}

/** Runs a clipboard program. It starts in `/`, so that a program of the working folder is not started in its place. */
export function runClipboardProgram(argv: readonly [string, ...string[]], input: Buffer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const child = startProgram(argv, { stdio: ['pipe', 'ignore', 'ignore'], cwd: '/', timeout: programMs }, () =>
    resolve(false),
  )
  child?.on('close', (code) => resolve(code === 0))
  child?.stdin?.on('error', () => undefined).end(input)
  return promise
}
