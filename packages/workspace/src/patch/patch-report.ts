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
  | 'ambiguousPlace'
  | 'changedMeanwhile'
  | 'fileError'

export interface PatchFailure {
  readonly code: PatchFailureCode
  /** Path as written in the patch; null when the failure concerns no single file. */
  readonly path: string | null
  /** Line of the patch, the Begin marker being line 1; null when the failure concerns no single line. */
  readonly line: number | null
  readonly message: string
}

/** Failure without the path and line of its hunk. */
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

/** Returns the tool output for an applied patch. A moved file is listed under its new name. */
export function successText(plans: readonly FilePlan[]): string {
  const lines = kinds.flatMap((kind) => {
    const ofKind = plans.filter((plan) => plan.kind === kind)
    return ofKind.map(({ path, movedTo }) => `${letters[kind]} ${(movedTo ?? path).written}`)
  })
  return ['Success. Updated the following files:', ...lines].join('\n')
}

/** Returns the tool output for a patch that was not applied: all failures and the files that changed nevertheless. */
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
