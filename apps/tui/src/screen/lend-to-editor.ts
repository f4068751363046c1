import type { EditedText } from '../terminal/edit-text.ts'
import type { LendableTerminal } from './hold-screen.ts'
import type { ScreenController } from './screen-controller.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Terminal that the user's editor may have; while it does, nothing else gives it away or takes it. */
interface LentTerminal extends LendableTerminal {
  /** Opens the text in the editor and puts what it leaves in the composer. */
  readonly edit: (text: string) => Promise<void>
  /** True while signals and sizes concern the editor only. */
  readonly isEditing: () => boolean
}

export function lendToEditor(
  held: LendableTerminal,
  screen: Pick<ScreenController, 'dispatch'>,
  env: Environment,
): LentTerminal {
  let isEditing = false
  return {
    release: () => isEditing || held.release(),
    take: () => isEditing || held.take(),
    isEditing: () => isEditing,
    async edit(text) {
      if (isEditing) return
      isEditing = true
      held.release()
      const edited = await openEditor(text, env)
      isEditing = false
      held.take()
      if (edited.kind === 'edited') return screen.dispatch(edited)
      const said = `The editor failed: ${edited.reason}. The text is as it was; $VISUAL or $EDITOR names another one.`
      screen.dispatch({ kind: 'notice', notice: { kind: 'note', level: 'warning', text: said } })
    },
  }
}

/** Loads what starts the editor only now, because the window is opened with as little as it needs. Never rejects. */
async function openEditor(text: string, env: Environment): Promise<EditedText> {
  try {
    const { editText } = await import('../terminal/edit-text.ts')
    return await editText(text, env)
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}
