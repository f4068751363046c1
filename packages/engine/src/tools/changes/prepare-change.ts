import { resolve } from 'node:path'
import { type Facts, gatherPatchFacts, linkNote } from '@parley/policy'
import type { CallKind, FileChangeEntry } from '@parley/protocol'
import {
  type ApplyOutcome,
  type ApplyRequest,
  applyPlan,
  changesOf,
  contentHash,
  EnvironmentUnreachableError,
  type FileEdit,
  failureText,
  type JudgedPatch,
  type PlanSurroundings,
  patchQuestion,
  planPatch,
  recordChange,
  settlePaths,
  successText,
} from '@parley/workspace'
import { fileSurroundings, type ToolPorts } from '../contract/define-tool.ts'
import type { PreparedCall, ToolOutcome } from '../contract/tool.ts'

/** Changes that one call asks for. */
interface FileChange {
  readonly tool: string
  readonly title: string
  readonly edits: readonly FileEdit[]
  /** Text of the change as people see it, and to which an approval is bound. */
  readonly text: string
}

/**
 * Prepares a call that changes files. Every tool that does so ends here: one plan, one diff, one question, and all of it
 * applied or nothing.
 */
export function prepareChange({ tool, title, edits, text }: FileChange, ports: ToolPorts): PreparedCall {
  return {
    describe: ({ cwd }) => ({
      type: 'fileChange',
      kind: kindOf(edits),
      title,
      text,
      changes: [],
      patchHash: contentHash(text),
      locations: [...new Set(pathsOf(edits))].map((path) => ({ path: resolve(cwd, path) })),
    }),
    async facts(workspace) {
      const surroundings = await fileSurroundings(ports.environment, workspace)
      const settled = await settlePaths(edits, workspace.cwd, ports.environment.patches)
      return gatherPatchFacts({ tool, paths: pathsOf(settled), deleted: deletedBy(settled), patch: text }, surroundings)
    },
    async plan({ cwd }, facts) {
      const files = ports.environment.patches
      const { secretsIn } = ports.redaction
      const changes = await settlePaths(edits, cwd, files)
      const planned = await planPatch({ changes, files, cwd, secretsIn, ...limitsFrom(facts) })
      if (!planned.ok) return { problem: failureText(planned.failures) }
      const { plans } = planned
      return {
        // Notes of the question count as well: a file that has become guarded since is asked about anew.
        payload: JSON.stringify({
          patch: text,
          changes: changesOf(plans),
          files: facts.kind === 'patch' ? facts.files : [],
        }),
        shown: { changes: clipDiffs(plans.map(recordChange)) },
        question: () => patchQuestion(plans, checkedIn(facts, cwd)),
        run: ({ itemId }) => runPlan({ plans, files, tag: itemId }),
      }
    },
  }
}

/** Returns `delete` or `move` where that is all, else `edit`. */
function kindOf(edits: readonly FileEdit[]): CallKind {
  if (edits.length > 0 && edits.every(({ kind }) => kind === 'delete')) return 'delete'
  return edits.length > 0 && edits.every((edit) => edit.kind === 'update' && edit.movedTo !== undefined)
    ? 'move'
    : 'edit'
}

/** Returns the files that need approval because of their location, and the remark on each file. */
function checkedIn(facts: Facts, cwd: string): JudgedPatch {
  if (facts.kind !== 'patch') return { cwd, singledOut: new Set(), notes: new Map() }
  const apart = facts.files.filter((file) => !file.insideRoots || file.protectedBy !== null)
  return {
    cwd: facts.cwd,
    singledOut: new Set(apart.map(({ real }) => real)),
    notes: new Map(facts.files.map(({ real, protectedBy, notes = [] }) => [real, marksOf(real, protectedBy, notes)])),
  }
}

/** Leaves out the remark on a link, because the line of a file names its target by itself. */
function marksOf(real: string, protectedBy: string | null, notes: readonly string[]): readonly string[] {
  return [...(protectedBy === null ? [] : [protectedBy]), ...notes.filter((note) => note !== linkNote(real))]
}

/** Limits planning to the files that policy has checked, and quotes to the model only the files it may read. */
function limitsFrom(facts: Facts): Required<Pick<PlanSurroundings, 'refusal' | 'mayQuote'>> {
  const checked = new Map(facts.kind === 'patch' ? facts.files.map((file) => [file.real, file]) : [])
  return {
    refusal: (real) => (checked.has(real) ? null : `${real} is not where the patch led a moment ago; try it again.`),
    mayQuote(real) {
      const file = checked.get(real)
      return file?.insideRoots === true && file.protectedBy === null
    },
  }
}

async function runPlan(request: ApplyRequest): Promise<ToolOutcome> {
  let outcome: ApplyOutcome
  try {
    outcome = await applyPlan(request)
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    return unknownOutcome(error)
  }
  return outcome.applied
    ? { status: 'completed', modelText: successText(request.plans) }
    : failed(failureText(outcome.failures, outcome.states))
}

function unknownOutcome({ message }: EnvironmentUnreachableError): ToolOutcome {
  const modelText = `How far this patch came is unknown: ${message} Each of its files is as before or as the patch leaves it; look at them before going on.`
  return { status: 'unknown', modelText, failure: { code: 'endUnknown', message } }
}

function failed(modelText: string): ToolOutcome {
  return {
    status: 'failed',
    modelText,
    failure: { code: 'patchFailed', message: modelText.split('\n', 1)[0] ?? modelText },
  }
}

function pathsOf(edits: readonly FileEdit[]): string[] {
  return edits.flatMap((edit) =>
    edit.kind === 'update' && edit.movedTo !== undefined ? [edit.path, edit.movedTo] : [edit.path],
  )
}

function deletedBy(edits: readonly FileEdit[]): ReadonlySet<string> {
  return new Set(edits.flatMap(({ kind, path }) => (kind === 'delete' ? [path] : [])))
}

/**
 * Limit for all diffs of a patch in characters, since the log would hold the diffs of a large deleted file three times.
 */
const maxLength = 512 * 1024

/** Returns the changes with diffs cut to a common limit; the last line of a cut diff tells how many are left out. */
export function clipDiffs(changes: readonly FileChangeEntry[], budget = maxLength): FileChangeEntry[] {
  let left = budget
  return changes.map((change) => {
    const diff = clip(change.diff, left)
    left -= diff.length
    return { ...change, diff }
  })
}

function clip(diff: string, limit: number): string {
  if (diff.length <= limit) return diff
  const end = diff.lastIndexOf('\n', Math.max(0, limit))
  const kept = diff.slice(0, end + 1)
  const leftOut = diff.slice(end + 1).split('\n').length - 1
  return `${kept}… ${leftOut} more lines\n`
}
