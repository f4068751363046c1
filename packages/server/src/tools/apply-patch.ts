import { type Facts, gatherPatchFacts } from '@parley/policy'
import type { FileChangeEntry } from '@parley/protocol'
import {
  type ApplyOutcome,
  type ApplyRequest,
  applyPlan,
  askAboutPatch,
  changesOf,
  contentHash,
  failureText,
  type Hunk,
  type JudgedPatch,
  type ParsedPatch,
  PlaceUnreachable,
  type PlanSurroundings,
  parsePatch,
  planPatch,
  recordChange,
  successText,
} from '@parley/workspace'
import * as z from 'zod'
import { defineTool, fileSurroundings, type ToolPorts } from './define-tool.ts'
import type { PreparedCall, Tool, ToolOutcome } from './tool.ts'

const description = `Changes files, all of them or none. The patch looks like this:
*** Begin Patch
*** Update File: path/to/file.py
@@ def greet():
-    return "hi"
+    return "hello"
*** Add File: notes.txt
+first line
*** Delete File: old.txt
*** End Patch
Lines of an update begin with a space (context), - (removed) or + (added). Give about 3 lines of context; put @@ and a nearby line such as a function's head before a chunk where the context alone is not unique. "*** Move to: new/path" after an Update File line renames it.`

export function applyPatchTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'apply_patch',
    description,
    readOnly: false,
    input: z.object({ patch: z.string().describe('The patch, from *** Begin Patch to *** End Patch.') }),
    prepare: ({ patch }) => preparePatch(patch, ports),
  })
}

function preparePatch(patch: string, ports: ToolPorts): PreparedCall | { problem: string } {
  const parsed: ParsedPatch = parsePatch(patch)
  if (!parsed.ok) return { problem: `${parsed.message}\nNo file was changed.` }
  const { hunks } = parsed
  const title = titleOf(hunks)
  return {
    describe: () => ({ type: 'fileChange', title, text: patch, changes: [], patchHash: contentHash(patch) }),
    facts: async (workspace) =>
      gatherPatchFacts(
        { tool: 'apply_patch', paths: pathsOf(hunks), patch },
        await fileSurroundings(ports.place, workspace),
      ),
    async plan({ cwd }, facts) {
      const files = ports.place.patches
      const planned = await planPatch({ hunks, files, cwd, secretsIn: ports.redaction.secretsIn, ...limitsFrom(facts) })
      if (!planned.ok) return { problem: failureText(planned.failures) }
      const { plans } = planned
      return {
        payload: JSON.stringify({ patch, changes: changesOf(plans) }),
        shown: { changes: clipDiffs(plans.map(recordChange)) },
        question: () => askAboutPatch(plans, judgedIn(facts, cwd)),
        run: ({ itemId }) => runPlan({ plans, files, tag: itemId }),
      }
    },
  }
}

/** The files that ask for a yes by their place, whatever else is in the patch. */
function judgedIn(facts: Facts, cwd: string): JudgedPatch {
  if (facts.kind !== 'patch') return { cwd, singledOut: new Set() }
  const apart = facts.files.filter((file) => !file.insideRoots || file.protectedBy !== null)
  return { cwd: facts.cwd, singledOut: new Set(apart.map(({ real }) => real)) }
}

/** Only what policy has judged is looked at, and only what lies open to the model is quoted to it. */
function limitsFrom(facts: Facts): Required<Pick<PlanSurroundings, 'refusal' | 'mayQuote'>> {
  const judged = new Map(facts.kind === 'patch' ? facts.files.map((file) => [file.real, file]) : [])
  return {
    refusal: (real) => (judged.has(real) ? null : `${real} is not where the patch led a moment ago; try it again.`),
    mayQuote(real) {
      const file = judged.get(real)
      return file?.insideRoots === true && file.protectedBy === null
    },
  }
}

async function runPlan(request: ApplyRequest): Promise<ToolOutcome> {
  let outcome: ApplyOutcome
  try {
    outcome = await applyPlan(request)
  } catch (error) {
    if (!(error instanceof PlaceUnreachable)) throw error
    return unknownEnd(error)
  }
  return outcome.applied
    ? { status: 'completed', modelText: successText(request.plans) }
    : failed(failureText(outcome.failures, outcome.states))
}

function unknownEnd({ message }: PlaceUnreachable): ToolOutcome {
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

function titleOf(hunks: readonly Hunk[]): string {
  const paths = [...new Set(hunks.map(({ path }) => path))]
  const [first = 'nothing'] = paths
  return paths.length <= 1 ? `Patch ${first}` : `Patch ${first} and ${paths.length - 1} more`
}

function pathsOf(hunks: readonly Hunk[]): string[] {
  return hunks.flatMap((hunk) =>
    hunk.kind === 'update' && hunk.movedTo !== undefined ? [hunk.path, hunk.movedTo] : [hunk.path],
  )
}

/** Characters of all diffs of one patch: deleting a large file must not put all of it into the log, three times. */
const maxLength = 512 * 1024

/** The changes with their diffs cut to a common budget; a cut one says so in its last line. */
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
