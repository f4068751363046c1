import { editText } from '../terminal/edit-text.ts'
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
      const edited = await editText(text, env)
      isEditing = false
      held.take()
      if (edited.kind === 'edited') return screen.dispatch(edited)
      const said = `The editor failed: ${edited.reason}. The text is as it was; $VISUAL or $EDITOR names another one.`
      screen.dispatch({ kind: 'notice', notice: { kind: 'note', level: 'warning', text: said } })
    },
  }
}
