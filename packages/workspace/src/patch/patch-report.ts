import type { FileState } from './apply/compare-plan.ts'
import type { FilePlan, PatchFailure } from './file-plan.ts'

const letters = { add: 'A', update: 'M', delete: 'D' } as const
const kinds = ['add', 'update', 'delete'] as const

/** What the model is told of an applied patch. A moved file stands under its new name. */
export function successText(plans: readonly FilePlan[]): string {
  const lines = kinds.flatMap((kind) => {
    const ofKind = plans.filter((plan) => plan.kind === kind)
    return ofKind.map(({ path, movedTo }) => `${letters[kind]} ${(movedTo ?? path).written}`)
  })
  return ['Success. Updated the following files:', ...lines].join('\n')
}

/** What the model is told of a patch that was not applied: every failure, and what became of the files. */
export function failureText(failures: readonly PatchFailure[], states: readonly FileState[] = []): string {
  const reached = states.filter(({ state }) => state !== 'old')
  const closing =
    reached.length === 0
      ? 'No file was changed.'
      : ['These files are not as they were before:', ...reached.map(stateLine)].join('\n')
  return [...failures.map(({ message }) => message), closing].join('\n')
}

function stateLine({ path, state }: FileState): string {
  return `${path}: ${state === 'new' ? 'as after the patch' : 'neither as before nor as after the patch'}`
}
