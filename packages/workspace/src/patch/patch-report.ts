import type { FilePlan, FileState } from './file-plan.ts'

export type PatchFailureCode =
  | 'invalidPatch'
  | 'nothingToDo'
  | 'badPath'
  | 'notAllowed'
  | 'missingFile'
  | 'fileExists'
  | 'notAFile'
  | 'symbolicLink'
  | 'readOnlyFile'
  | 'tooLarge'
  | 'notText'
  | 'unknownMark'
  | 'contextNotFound'
  | 'linesNotFound'
  | 'changedMeanwhile'
  | 'fileError'

export interface PatchFailure {
  readonly code: PatchFailureCode
  /** As the patch says it; null when it concerns no single file. */
  readonly path: string | null
  /** Line of the patch, the Begin marker being 1; null when none is to blame. */
  readonly line: number | null
  readonly message: string
}

export interface PatchProblem {
  readonly ok: false
  readonly code: PatchFailureCode
  readonly message: string
}

export function problem(code: PatchFailureCode, message: string): PatchProblem {
  return { ok: false, code, message }
}

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
