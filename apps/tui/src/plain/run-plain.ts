import { createInterface } from 'node:readline'
import { cleanInput } from '@parley/presentation/text/control-characters'
import type { RpcError } from '@parley/rpc'
import { userFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { ConversationController } from '../conversation/conversation-controller.ts'
import type { Extra } from '../conversation/open-conversation.ts'
import { openPromptHistory } from '../conversation/prompt-history.ts'
import { note } from '../conversation/rejected-intent.ts'
import type { SessionStart } from '../conversation/start-conversation.ts'
import { firstMessage, sayEnding } from '../ink/run-interactive.ts'
import { UserPrograms } from '../programs/user-programs.ts'
import { forcedDepth, hasTerminal, sayNoTerminal, withColour } from '../terminal/port.ts'
import { windowSize } from '../terminal/window-size.ts'
import type { Intent, LendingIntent } from '../ui/state/actions.ts'
import { PlainScreen } from './plain-screen.ts'

interface PlainSession {
  readonly launch: Launch
  readonly start: SessionStart
  readonly extra: Extra
}

const hint = 'Plain lines. Type a message and Enter; ? says what else, /help lists the commands. Ctrl+D leaves.'
const bell = '\x07'

/** Runs a plain session until the user leaves: lines in, lines out, no cursor moved. Resolves to the exit code. */
export async function runPlain(session: PlainSession): Promise<number> {
  if (!hasTerminal()) return sayNoTerminal()
  const { launch, start } = session
  const { stdin, stdout } = process
  const end = Promise.withResolvers<RpcError | null>()
  const run = (intent: Intent) => {
    // A program that moves the cursor runs like any other command, without a terminal.
    const planned = intent.kind === 'runInTerminal' ? ({ kind: 'shell', command: intent.command } as const) : intent
    if (planned.kind === 'logIn') return screen.dispatch(note('info', loginWords(planned.provider)))
    if (!isOfWindow(planned)) void conversation.run(planned).catch(end.reject)
  }
  const screen = new PlainScreen({
    print: (line) => void stdout.write(`${line}\n`),
    colours: forcedDepth(withColour(launch.env, start.flags.color)) ?? 'none',
    size: () => windowSize(stdout),
    homeFolder: userFolder(launch.env),
    signal: ({ telling }) => programs.signal({ title: null, telling }),
    onIntent: run,
  })
  const programs = createPrograms(launch.env, screen)
  const conversation = createConversation(session, { screen, programs, onEnd: end.resolve })
  const onInterrupt = () => screen.dispatch({ kind: 'signal' })
  process.on('SIGINT', onInterrupt)
  const takeLine = (text: string) => screen.dispatch({ kind: 'line', text })
  const lines = readLines(stdin, takeLine, () => end.resolve(null))
  let ending: { readonly rejection: RpcError | null; readonly farewell: string | null }
  try {
    screen.dispatch(note('info', hint), ...firstMessage(start))
    void conversation.start().catch(end.reject)
    const rejection = await end.promise
    lines[Symbol.dispose]()
    screen[Symbol.dispose]()
    ending = { rejection, farewell: conversation.farewell }
  } finally {
    programs[Symbol.dispose]()
    await conversation[Symbol.asyncDispose]()
    process.off('SIGINT', onInterrupt)
  }
  return sayEnding({ ...ending, isUnsaved: conversation.isUnsaved })
}

function loginWords(provider: string): string {
  return `Run \`parley login ${provider}\` in another terminal: a key that is typed here would be shown. It counts from the next message on.`
}

function isOfWindow(intent: Intent): intent is LendingIntent | Extract<Intent, { kind: 'clear' }> {
  const { kind } = intent
  return kind === 'suspend' || kind === 'clear' || kind === 'editText' || kind === 'runInTerminal' || kind === 'logIn'
}

/** Creates the user's programs; every notification on the terminal becomes its bell. */
function createPrograms(env: NodeJS.ProcessEnv, screen: PlainScreen): UserPrograms {
  return new UserPrograms({
    env,
    write: (text) => void (text.includes(bell) && process.stdout.write(bell)),
    warn: (text) => screen.dispatch(note('warning', text)),
    showStatus: () => undefined,
    showLook: () => undefined,
  })
}

function createConversation(
  { launch, start, extra }: PlainSession,
  {
    screen,
    programs,
    onEnd,
  }: { screen: PlainScreen; programs: UserPrograms; onEnd: (rejection: RpcError | null) => void },
): ConversationController {
  const { env, home } = launch
  return new ConversationController({
    launch,
    start,
    extra,
    screen,
    programs,
    onEnd,
    homeFolder: userFolder(env),
    prompts: openPromptHistory(home, env),
    terminal: { write: null, env },
  })
}

/** Time for further lines of the same paste: the terminal delivers one line at a time. */
const pasteMs = 30

/** Reads lines from the terminal, which echoes and edits them itself. Disposing stops it. */
function readLines(input: NodeJS.ReadableStream, onLine: (text: string) => void, onEnd: () => void): Disposable {
  let gathered: string[] = []
  let timer: NodeJS.Timeout | undefined
  const deliver = () => {
    clearTimeout(timer)
    const lines = gathered
    gathered = []
    if (lines.length > 0) onLine(cleanInput(lines.join('\n')))
  }
  const reader = createInterface({ input, terminal: false })
  // Reading from a closed terminal fails; the input has ended then.
  input.on('error', onEnd)
  reader.on('line', (line) => {
    gathered.push(line)
    clearTimeout(timer)
    timer = setTimeout(deliver, pasteMs)
  })
  reader.on('close', () => {
    deliver()
    onEnd()
  })
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      reader.removeAllListeners()
      reader.close()
    },
  }
}
