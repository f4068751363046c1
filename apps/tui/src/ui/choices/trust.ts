import { stepTo, type UiStep } from '../state/actions.ts'
import { addNote, type UiState } from '../state/ui-state.ts'

/**
 * Trusts or declines a project's configuration. Takes a typed word because a yes lets programs of the project run, and
 * counts only for the configuration shown.
 */
export function runTrust(ui: UiState, argument: string): UiStep {
  const verdict = argument === 'yes' ? 'trusted' : argument === 'no' ? 'declined' : null
  if (argument === '') return stepTo(ui, { kind: 'readTrust' })
  if (verdict === null)
    return stepTo(
      addNote(
        ui,
        'info',
        '/trust shows the configuration of this project, /trust yes trusts it, /trust no declines it.',
      ),
    )
  if (ui.shownTrust === null) return stepTo(addNote(ui, 'warning', 'Look at it first: /trust shows what it would do.'))
  return stepTo(ui, { kind: 'decideTrust', hash: ui.shownTrust, verdict })
}
