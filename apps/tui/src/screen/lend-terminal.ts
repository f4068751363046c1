import { errorMessage } from '@parley/text'
import { serverNodeFlags } from '../cli/early-arguments.ts'
import type { EditedText } from '../terminal/run-with-terminal.ts'
import type { Intent, LendingIntent } from '../ui/state/actions.ts'
import type { LendableTerminal } from './hold-screen.ts'
import type { ScreenController } from './screen-controller.ts'

/** Intent that gives the terminal to a program of the user's. */
type ProgramIntent = Exclude<LendingIntent, { kind: 'suspend' }>

export function isForProgram(intent: Intent): intent is ProgramIntent {
  return intent.kind === 'editText' || intent.kind === 'runInTerminal' || intent.kind === 'logIn'
}

/** Terminal that a program of the user may have; while it does, nothing else gives it away or takes it. */
interface LentTerminal extends LendableTerminal {
  /** Runs the editor and puts its text in the composer, or runs a command or a login and reports its end. */
  readonly lend: (intent: ProgramIntent) => Promise<void>
  /** True while signals and sizes concern the program only. */
  readonly isLent: () => boolean
}

export function lendTerminal(
  held: LendableTerminal,
  screen: Pick<ScreenController, 'dispatch'>,
  env: Readonly<Record<string, string | undefined>>,
): LentTerminal {
  let isLent = false
  const note = (level: 'info' | 'warning', text: string) =>
    screen.dispatch({ kind: 'notice', notice: { kind: 'note', level, text } })

  async function edit(text: string): Promise<() => void> {
    const edited = await openEditor(text, env)
    if (edited.kind === 'edited') return () => screen.dispatch(edited)
    const said = `The editor failed: ${edited.reason}. The text is as it was; $VISUAL or $EDITOR names another one.`
    return () => note('warning', said)
  }

  async function run(command: string, folder: string): Promise<() => void> {
    const problem = await runProgram(['/bin/sh', '-c', command], { cwd: folder, env })
    const how = problem === null ? '' : `: ${problem}`
    const said = `\`${command}\` had the terminal${how}. The conversation has nothing of it.`
    return () => note(problem === null ? 'info' : 'warning', said)
  }

  /** Logs in by the command of the shell, so that a key that is typed never comes near the window. */
  async function logIn({ provider, way }: Extract<ProgramIntent, { kind: 'logIn' }>): Promise<() => void> {
    const [, program = ''] = process.argv
    const oauth = way === 'browser' ? ['--oauth'] : []
    const problem = await runProgram([process.execPath, ...serverNodeFlags, program, 'login', provider, ...oauth], {
      env,
    })
    if (problem !== null) return () => note('warning', `You are not logged in to ${provider}: the lines above say why.`)
    return () => screen.dispatch({ kind: 'loggedIn', provider })
  }

  const serve = (intent: ProgramIntent): Promise<() => void> => {
    if (intent.kind === 'editText') return edit(intent.text)
    return intent.kind === 'logIn' ? logIn(intent) : run(intent.command, intent.folder)
  }

  return {
    release: () => isLent || held.release(),
    take: () => isLent || held.take(),
    isLent: () => isLent,
    async lend(intent) {
      if (isLent) return
      isLent = true
      held.release()
      const say = await serve(intent)
      isLent = false
      held.take()
      say()
    },
  }
}

/** Loads what starts the editor only now, because the window is opened with as little as it needs. Never rejects. */
async function openEditor(text: string, env: Readonly<Record<string, string | undefined>>): Promise<EditedText> {
  try {
    const { editText } = await import('../terminal/run-with-terminal.ts')
    return await editText(text, env)
  } catch (error) {
    return { kind: 'failed', reason: errorMessage(error) }
  }
}

/** Resolves to what went wrong, or null. Never rejects. */
async function runProgram(
  argv: readonly string[],
  context: { readonly cwd?: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<string | null> {
  try {
    const { runWithTerminal } = await import('../terminal/run-with-terminal.ts')
    return await runWithTerminal(argv, context)
  } catch (error) {
    return errorMessage(error)
  }
}
