import { limitDefaults } from '@parley/config/defaults'
import {
  type CallWatch,
  type Deadline,
  type Elicitation,
  type McpConnection,
  type McpServer,
  startDeadline,
  textOfResult,
} from '@parley/mcp-client'
import { clipForModel, errorMessage, firstBytes } from '@parley/text'
import { imageProblem } from '../../core/image-facts.ts'
import { imageTypeOf } from '../../core/image-form.ts'
import { keepText } from '../contract/command-output.ts'
import { type CallFiles, notStarted, type StoredImage, type ToolContext, type ToolOutcome } from '../contract/tool.ts'

interface McpCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Calls a server's tool. Waits for a server that is starting; every failure is an outcome. */
export async function runMcpCall(server: McpServer, call: McpCall, context: ToolContext): Promise<ToolOutcome> {
  const connection = await server.connection(context.signal)
  if (context.signal.aborted) return { ...notStarted, modelText: 'Not sent: the turn was stopped.' }
  if (typeof connection === 'string')
    return failureOutcome(
      'mcpServerUnavailable',
      `Not sent: the MCP server "${server.name}" is not available: ${connection}.`,
    )
  const made = await server.watchMade()
  using deadline = startDeadline(server.settings.toolTimeoutMs)
  try {
    const result = await connection.call(call.tool, call.args, watchFor(server, context, deadline))
    const kept = createResultFiles(context.files)
    const text = await textOfResult(result, kept.keep)
    // Before any cut, since half a secret is not recognised.
    const said = made().map((found) => `\n(${found.text})`)
    return withImages(await resultOutcome(server.redact(text) + said.join(''), result.isError, context), kept)
  } catch (error) {
    const outcome = await failureOf(error, { server, connection, context, deadline })
    return { ...outcome, modelText: [outcome.modelText, ...made().map(({ text }) => `(${text})`)].join('\n') }
  }
}

function watchFor({ name, redact }: McpServer, context: ToolContext, deadline: Deadline): CallWatch {
  return {
    signal: AbortSignal.any([context.signal, deadline.signal]),
    onProgress: (text) => context.report(Buffer.from(`${redact(text)}\n`)),
    elicit: (question) => deadline.pausedFor(context.user.ask(questionOf(name, question), question.signal)),
  }
}

function questionOf(server: string, { message, form, check }: Elicitation) {
  const [firstLine = ''] = message.trim().split('\n', 1)
  return {
    title: firstLine === '' ? `The MCP server "${server}" asks` : firstLine,
    detail: message,
    reason: `The MCP server "${server}" asks this while its tool runs.`,
    rule: { name: 'mcp:elicitation' },
    form,
    check,
  }
}

interface Failed {
  readonly server: McpServer
  readonly connection: McpConnection
  readonly context: ToolContext
  readonly deadline: Deadline
}

async function failureOf(error: unknown, { server, connection, context, deadline }: Failed): Promise<ToolOutcome> {
  const { name, settings } = server
  const lost = connection.lost()
  if (lost !== null)
    return failureOutcome(
      'mcpServerGone',
      `The MCP server "${name}" went away while this ran: ${await lost}. What it had done by then is unknown.`,
    )
  if (context.signal.aborted)
    return {
      status: 'interrupted',
      modelText: `Interrupted; "${name}" was told to stop. What it had done by then is unknown.`,
    }
  if (deadline.reached)
    return failureOutcome(
      'timedOut',
      `Stopped after ${settings.toolTimeoutMs / 1000} s, its time limit (tool_timeout_sec of [mcp_servers.${name}]); "${name}" was told to stop. What it had done by then is unknown.`,
    )
  const why = errorMessage(error)
  return failureOutcome('mcpCallFailed', `The call of the MCP server "${name}" failed: ${why}`)
}

/** Files of one result: bytes are kept beside the log, and images among them are shown to the model. */
export interface ResultFiles {
  keep(bytes: Buffer): Promise<string>
  /** Returns the images, in the order of the result. */
  images(): StoredImage[]
  /** Returns a sentence for each image that is larger than the API of the model takes. */
  problems(): readonly string[]
}

export function createResultFiles({ sideFiles, imageLimits }: CallFiles): ResultFiles {
  const images: (StoredImage | null)[] = []
  const problems: string[] = []
  return {
    async keep(bytes) {
      const at = images.push(null) - 1
      const file = await sideFiles.put(bytes)
      const mediaType = imageTypeOf(bytes)
      const name = `image ${at + 1}`
      const problem = mediaType === null ? null : imageProblem(`Not shown: ${name}`, bytes, imageLimits)
      if (problem !== null) problems.push(problem)
      else if (mediaType !== null) images[at] = { file, mediaType, name }
      return file
    },
    images: () => images.filter((image) => image !== null),
    problems: () => problems,
  }
}

/** Adds the images of a result to its outcome. */
export function withImages(outcome: ToolOutcome, files: ResultFiles): ToolOutcome {
  const images = files.images()
  const modelText = [outcome.modelText, ...files.problems()].join('\n')
  return images.length === 0
    ? { ...outcome, modelText }
    : { ...outcome, modelText, fields: { ...outcome.fields, images } }
}

/** Limit of an error that people see; the model gets more. */
const shownFailureBytes = 500

/** Returns the outcome of a server's answer: clipped for the model, both ends in the item, all in a side file. */
export async function resultOutcome(
  text: string,
  isError: boolean,
  { itemId, files }: Pick<ToolContext, 'itemId' | 'files'>,
): Promise<ToolOutcome> {
  const output = await keepText(text, files.sideFiles)
  const whole = { head: text, tail: '', totalBytes: output.totalBytes, omittedBytes: 0 }
  const modelText = clipForModel(whole, `read_file "output:${itemId}" shows the rest`, limitDefaults.modelOutputBytes)
  if (!isError)
    return { status: 'completed', modelText: modelText === '' ? '(nothing)' : modelText, fields: { output } }
  const message = text.trim() === '' ? 'It failed and did not say why.' : firstBytes(text, shownFailureBytes)
  return {
    status: 'failed',
    modelText: `Error: ${modelText}`,
    fields: { output },
    failure: { code: 'mcpToolError', message },
  }
}

type McpFailureCode = 'mcpServerUnavailable' | 'mcpServerGone' | 'mcpCallFailed' | 'timedOut'

export function failureOutcome(code: McpFailureCode, message: string): ToolOutcome {
  return { status: 'failed', modelText: message, failure: { code, message } }
}
