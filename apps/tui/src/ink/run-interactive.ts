import type { RpcError } from '@parley/rpc'
import { exitCodeOf, exitCodes } from '../cli/exit-codes.ts'
import { fromWorkingFolder, userFolder, workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { explainRejection } from '../cli/messages.ts'
import { ConversationController } from '../conversation/conversation-controller.ts'
import type { Extra } from '../conversation/open-conversation.ts'
import { openPromptHistory } from '../conversation/prompt-history.ts'
import { note } from '../conversation/rejected-intent.ts'
import type { SessionStart } from '../conversation/start-conversation.ts'
import { UserPrograms } from '../programs/user-programs.ts'
import { openWindow, type Window } from '../screen/open-window.ts'
import type { ScreenController } from '../screen/screen-controller.ts'
import { guardAgainstKill } from '../terminal/hold-terminal.ts'
import type { Painter } from '../terminal/painter.ts'
import { hasTerminal, isBasic, sayNoTerminal, withColour } from '../terminal/port.ts'
import type { ZoneWriter } from '../terminal/zone-writer.ts'
import type { UiAction } from '../ui/state/actions.ts'

interface WindowEnd {
  /** Rejection of the conversation that the command line names; null if it was opened. */
  readonly rejection: RpcError | null
  /** Command that resumes the conversation; null if nothing is kept. */
  readonly farewell: string | null
  /** True if the server could not save all it had accepted. */
  readonly isUnsaved: boolean
}

/** Start of a command with a window. */
export interface WindowLaunch {
  readonly launch: Launch
  /** Window that was opened before the command line was read; null without such a window. */
  readonly window: Window | null
}

/** Runs the interactive program until the user leaves. Resolves to the exit code. */
export async function runInteractive(
  { launch, window }: WindowLaunch,
  start: SessionStart,
  extra: Extra = {},
): Promise<number> {
  if (!hasTerminal()) return sayNoTerminal()
  // Ink reads the working folder as it loads, and throws if it was removed.
  workingFolder()
  const ending = await runInWindow(window ?? openWindow(withColour(launch.env, start.flags.color)), {
    launch,
    start,
    extra,
  })
  return sayEnding(ending)
}

/** Writes the last lines when the terminal is free again. Returns the exit code. */
export function sayEnding({ rejection, farewell, isUnsaved }: WindowEnd): number {
  const { stdout, stderr } = process
  if (rejection !== null) stderr.write(`parley: ${explainRejection(rejection)}\n`)
  if (farewell !== null) stdout.write(`${farewell}\n`)
  if (rejection !== null) return exitCodeOf(rejection.data?.code ?? '')
  return isUnsaved ? exitCodes.storage : exitCodes.ok
}

interface WindowStart {
  readonly launch: Launch
  readonly start: SessionStart
  readonly extra: Extra
}

async function runInWindow(window: Window, opening: WindowStart): Promise<WindowEnd> {
  const { env, home } = opening.launch
  const { screen } = window
  const end = Promise.withResolvers<RpcError | null>()
  const programs = createPrograms(env, screen)
  const conversation = new ConversationController({
    launch: opening.launch,
    start: opening.start,
    extra: opening.extra,
    programs,
    screen,
    homeFolder: userFolder(env),
    prompts: openPromptHistory(home, env),
    terminal: { write: (text) => process.stdout.write(text), env },
    onEnd: end.resolve,
  })
  const handPainterOver = () => {
    loadInkPainter(window.zone)
      .then((painter) => screen.handOver(painter))
      .catch(end.reject)
  }
  void window.closed.then(() => end.resolve(null))
  let guard: ReturnType<typeof guardAgainstKill> | null = null
  let ending: Omit<WindowEnd, 'isUnsaved'>
  // Stays until the conversation is closed: Ctrl+C must not end the program while it saves.
  process.on('SIGINT', ignoreInterrupt)
  try {
    screen.dispatch(...firstMessage(opening.start))
    void conversation.start().catch(end.reject)
    guard = guardAgainstKill()
    prepareColours(screen, opening.start, env)
    window.serve({
      handPainterOver,
      onSignal: (signal) => programs.signal(signal),
      onAlternate: (isUsed) => guard?.setAlternate(isUsed),
      onIntent: (intent) =>
        intent.kind === 'clear'
          ? clearWindow(screen, handPainterOver)
          : void conversation.run(intent).catch(end.reject),
    })
    const rejection = await end.promise
    ending = { rejection, farewell: conversation.farewell }
  } finally {
    await screen.answered()
    window[Symbol.dispose]()
    guard?.[Symbol.dispose]()
    programs[Symbol.dispose]()
    await conversation[Symbol.asyncDispose]()
    process.off('SIGINT', ignoreInterrupt)
  }
  return { ...ending, isUnsaved: conversation.isUnsaved }
}

function createPrograms(env: NodeJS.ProcessEnv, screen: ScreenController): UserPrograms {
  return new UserPrograms({
    env,
    write: (text) => process.stdout.write(text),
    warn: (text) => screen.dispatch(note('warning', text)),
    showStatus: (line) => screen.dispatch({ kind: 'statusTold', line }),
    showLook: (look) => screen.dispatch({ kind: 'looked', look }),
  })
}

const ignoreInterrupt = () => undefined

/** Moves all rows into the scrollback by line ends, since sequences for clearing would erase them. */
function clearWindow(screen: ScreenController, handPainterOver: () => void): void {
  const { stdout } = process
  screen.yieldTerminal()
  // The second row, since tmux keeps rows erased from the first one on in its history.
  stdout.write(`${'\n'.repeat(Math.max(1, stdout.rows - 1))}\x1b[2H`)
  handPainterOver()
}

/** Loads Ink, the largest part of the program, while the early painter shows the composer. */
async function loadInkPainter(zone: ZoneWriter): Promise<Painter> {
  const { createInkPainter } = await import('./ink-painter.tsx')
  return createInkPainter(zone, process.stdin)
}

/** Asks for the colour of the background, which comes with the keys. */
const backgroundQuery = '\x1b]11;?\x1b\\'

/** Asks for the background, and for a conversation that is resumed loads the colours of code before it arrives. */
function prepareColours(screen: ScreenController, start: SessionStart, env: Launch['env']): void {
  if (start.kind !== 'new') screen.colourCode()
  if (!isBasic(env)) process.stdout.write(backgroundQuery)
}

/** Returns the action that sends the prompt of the command line as soon as it can be sent. */
export function firstMessage(start: SessionStart): readonly UiAction[] {
  if ((start.kind !== 'new' && start.kind !== 'resume') || start.prompt === null) return []
  const { prompt: text, flags } = start
  const images = (flags.image ?? []).map((path) => fromWorkingFolder(path))
  return [{ kind: 'hold', message: { messageId: crypto.randomUUID(), text, images, when: 'steer' } }]
}
