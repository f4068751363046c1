import type { Facts } from '../core/policy/facts.ts'
import { gatherReadFacts } from '../facts/gather-file-facts.ts'
import { resolveWorkspacePath } from '../lookup/workspace-path.ts'
import type { PreparedCall, ToolContext, ToolOutcome } from './tool.ts'
import { fileSurroundings, type ToolPorts } from './tool-ports.ts'

interface LookUp {
  readonly tool: string
  readonly title: string
  readonly input: unknown
  readonly path: string
  readonly ports: ToolPorts
  /** `real` has every link followed: the path that was judged is the one that is opened. */
  readonly look: (place: { real: string; shownPath: string }, context: ToolContext) => Promise<LookUpOutcome>
}

export type LookUpOutcome =
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: string; readonly text: string }

/** A call that only looks at one path. */
export function prepareLookUp({ tool, title, input, path, ports, look }: LookUp): PreparedCall {
  const text = JSON.stringify(input)
  return {
    describe: () => ({ type: 'toolCall', title, text: '', input: text }),
    facts: async (workspace): Promise<Facts> =>
      gatherReadFacts({ tool, paths: [path] }, await fileSurroundings(ports, workspace)),
    async workOut({ cwd, roots }) {
      const found = await resolveWorkspacePath({ path, cwd, roots })
      return {
        payload: JSON.stringify({ input, real: found.ok ? found.path.real : null }),
        run: async (context) =>
          found.ok
            ? toOutcome(await look({ real: found.path.real, shownPath: path }, context))
            : failedLookUp(found.message),
      }
    },
  }
}

function toOutcome(found: LookUpOutcome): ToolOutcome {
  return 'message' in found
    ? failedLookUp(found.message)
    : { status: 'completed', modelText: found.text, fields: { text: found.text } }
}

export function failedLookUp(message: string): ToolOutcome {
  return { status: 'failed', modelText: message, failure: { code: 'lookUpFailed', message } }
}
