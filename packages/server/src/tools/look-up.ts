import { type Facts, gatherReadFacts } from '@parley/policy'
import { type Environment, resolveWorkspacePath } from '@parley/workspace'
import { fileSurroundings } from './define-tool.ts'
import { type PreparedCall, type ToolContext, type ToolOutcome, unlessAborted } from './tool.ts'

interface LookUp {
  readonly tool: string
  readonly title: string
  readonly input: unknown
  readonly path: string
  /** True when everything below the path is read too. */
  readonly recursive: boolean
  readonly place: Environment
  /** Reads the path; `real` is the path that was checked, with every link followed. */
  readonly look: (place: { real: string; shownPath: string }, context: ToolContext) => Promise<LookUpOutcome>
}

type LookUpOutcome =
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: string; readonly text: string }

/** Returns a call that only reads one path. */
export function prepareLookUp({ tool, title, input, path, recursive, place, look }: LookUp): PreparedCall {
  const text = JSON.stringify(input)
  return {
    describe: () => ({ type: 'toolCall', title, text: '', input: text }),
    facts: async (workspace): Promise<Facts> =>
      gatherReadFacts({ tool, paths: [path], recursive }, await fileSurroundings(place, workspace)),
    async plan({ cwd, roots }, facts) {
      const real = (facts.kind === 'read' ? facts.paths[0]?.real : undefined) ?? path
      return {
        payload: JSON.stringify({ input, real }),
        async run(context) {
          const now = await resolveWorkspacePath({ path: real, cwd, roots, files: place.files })
          if (!now.ok) return failedLookUp(now.message)
          if (now.path.real !== real) return failedLookUp(`${path} now leads somewhere else.`)
          const found = await unlessAborted(look({ real, shownPath: path }, context), context.signal)
          return found === null ? interrupted : toOutcome(found)
        },
      }
    },
  }
}

function toOutcome(found: LookUpOutcome): ToolOutcome {
  return 'message' in found
    ? failedLookUp(found.message)
    : { status: 'completed', modelText: found.text, fields: { text: found.text } }
}

const interrupted: ToolOutcome = { status: 'interrupted', modelText: 'Interrupted by the user.' }

export function failedLookUp(message: string): ToolOutcome {
  return { status: 'failed', modelText: message, failure: { code: 'lookUpFailed', message } }
}
