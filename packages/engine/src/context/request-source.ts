import type {
  ModelAbilities,
  ModelClient,
  ModelEntry,
  ModelRequest,
  ToolRules,
  ToolSpec,
  UserPart,
} from '@parley/models'
import { type EventOf, type ModelChoice, modelInUse, modeOf, type Settings, type TurnId } from '@parley/protocol'
import { wellFormedJson } from '@parley/text'
import { EnvironmentUnreachableError } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import { missingFile } from '../core/view/view-content.ts'
import type { OfferedTo, Tool } from '../tools/contract/tool.ts'
import { requestHash } from './request-hash.ts'
import { readTools, sharedText } from './shared-tools.ts'

/** Instructions and session context that precede the messages of a request, as found now. */
export interface RequestContext {
  readonly instructions: string
  readonly sessionContext: string
  readonly instructionFiles: readonly string[]
  /** Sentences for the user on what of these files is left out. */
  readonly warnings: readonly string[]
  readonly skills: readonly { readonly name: string; readonly path: string }[]
}

/** Builds the model requests of one conversation. */
export interface RequestSource {
  /** Records `context.set` when instructions, tools or session context differ from the log; before each model call. */
  prepare(signal: AbortSignal): Promise<void>
  /** Loads and computes the unchanging parts of the first request. Sends nothing. */
  warmUp(): void
  /** Makes the next `prepare` gather everything again, as it is after a compaction. */
  forget(): void
  /** Returns the next request, computed from the log and its side files alone. */
  next(): ModelRequest
  /** Returns the hash of the next request, which anybody can compute again from the log and its side files. */
  hash(): string
}

/** Abilities of a model that decide about its tools. */
interface Offer extends Pick<ModelAbilities, 'toolShape' | 'images'> {
  readonly hasSkills: boolean
}

interface RequestParts {
  readonly conversation: Conversation
  /** Built-in tools; which of them a model is offered depends on its abilities, mode and turn. */
  readonly tools: readonly Tool[]
  /** Returns the tools that MCP servers offer now. */
  readonly offered: (signal: AbortSignal, rules: () => ToolRules | undefined) => Promise<readonly ToolSpec[]>
  readonly model: () => {
    readonly client: ModelClient
    readonly facts: ModelAbilities
    readonly maxOutputTokens: number | undefined
  }
  readonly gather: () => Promise<RequestContext>
}

type ContextSet = EventOf<'context.set'>

export function createRequestSource({ conversation, tools, offered, model, gather }: RequestParts): RequestSource {
  const ownTexts = new Map<string, string>()
  const parsedTools = new Map<string, readonly ToolSpec[]>()
  const readText = (file: string) => conversation.sideFiles.readText(file)
  /** State for which the context was last gathered: files are read once per turn. */
  let preparedFor: Moment | null = null

  /** Describes the tools as JSON text; the schemas take 4 ms, so they are made at the first request. */
  function describeTools({ toolShape, images, hasSkills }: Offer, more: readonly ToolSpec[]): string {
    const { settings, turn } = conversation.state.core
    const isPlanning = modeOf(settings) === 'plan'
    const isReviewing = turn?.purpose === 'review'
    const key = `${toolShape} ${images} ${isPlanning} ${isReviewing} ${hasSkills}`
    const to = { toolShape, images, isPlanning, isReviewing, hasSkills }
    const ownText = ownTexts.get(key) ?? sharedText(JSON.stringify(specsFor(to, tools)))
    ownTexts.set(key, ownText)
    return more.length === 0 ? ownText : `${ownText.slice(0, -1)},${wellFormedJson(more).slice(1)}`
  }

  function toolsOf(file: string): readonly ToolSpec[] {
    const known = parsedTools.get(file) ?? readTools(readText(file))
    parsedTools.set(file, known)
    return known
  }

  return {
    async prepare(signal) {
      const { turn, settings, meta } = conversation.state.core
      const { cwd } = meta
      const now = { turnId: turn?.id, settings, cwd, fallback: turn?.fallback }
      if (preparedFor !== null && isSameMoment(preparedFor, now)) return
      const more = await offered(signal, () => model().client.toolRules)
      const found = await gatherUnlessGone(conversation, gather)
      // The log's context stays in force while the machine is unreachable; the next request gathers again.
      if (found === null) return
      const { client, facts } = model()
      const { toolShape, images } = facts
      const toolText = describeTools({ toolShape, images, hasSkills: found.skills.length > 0 }, more)
      const event = await contextEvent(conversation, { toolText, adapter: client.adapter, found })
      const known = conversation.state.core.context
      if (known === null || isChanged(known, event)) conversation.record(event)
      preparedFor = now
    },
    warmUp() {
      const { client, facts } = model()
      describeTools({ ...facts, hasSkills: false }, [])
      client.warmUp?.()
    },
    forget() {
      preparedFor = null
    },
    next() {
      const { meta, settings, context, turn } = conversation.state.core
      const { maxOutputTokens, facts } = model()
      const entries = conversation.view.request.entries(conversation.sideFiles)
      return {
        model: modelInUse({ settings, turn }).model,
        ...(settings.effort === undefined ? {} : { effort: settings.effort }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        instructions: context === null ? '' : (readText(context.instructions) ?? missingFile),
        tools: context === null ? [] : toolsOf(context.tools),
        entries: readableEntries(entries, facts),
        ...(turn?.outputSchema === undefined ? {} : { outputSchema: turn.outputSchema }),
        cacheKey: meta.conversationId,
      }
    },
    hash: () => requestHash(conversation),
  }
}

/** Returns the entries as a model of these abilities can read them. */
export function readableEntries(
  entries: readonly ModelEntry[],
  { images }: Pick<ModelAbilities, 'images'>,
): readonly ModelEntry[] {
  return images || !entries.some(holdsImage) ? entries : entries.map(withoutImages)
}

const withoutTheirImages = new WeakMap<ModelEntry, ModelEntry>()

/** Returns an entry with a line for each image instead of it, the same each time, for a model that reads none. */
function withoutImages(entry: ModelEntry): ModelEntry {
  const known = withoutTheirImages.get(entry) ?? replaceImages(entry)
  withoutTheirImages.set(entry, known)
  return known
}

const imageMark = '(An image is left out here: this model reads no images.)'

function replaceImages(entry: ModelEntry): ModelEntry {
  if (entry.kind === 'user')
    return entry.content.some(isImage) ? { ...entry, content: entry.content.map(markOfImage) } : entry
  if (entry.kind !== 'result' || entry.images === undefined) return entry
  const { images, ...rest } = entry
  return { ...rest, text: [entry.text, ...images.map(() => imageMark)].join('\n') }
}

function holdsImage(entry: ModelEntry): boolean {
  return entry.kind === 'user' ? entry.content.some(isImage) : entry.kind === 'result' && entry.images !== undefined
}

function isImage({ type }: UserPart): boolean {
  return type === 'image'
}

function markOfImage(part: UserPart): UserPart {
  return part.type === 'image' ? { type: 'text', text: imageMark } : part
}

/** Returns the tools that a model is offered, in the form that suits it. */
function specsFor(to: OfferedTo, tools: readonly Tool[]): readonly ToolSpec[] {
  const offered = tools.filter(({ offeredTo }) => offeredTo === undefined || offeredTo(to))
  return offered.map(({ name, description, parameters, freeform }) => ({
    name,
    description,
    parameters: parameters(),
    ...(freeform === undefined ? {} : { freeform }),
  }))
}

/** Moment for which the context was gathered. */
interface Moment {
  readonly turnId: TurnId | undefined
  readonly settings: Settings
  readonly cwd: string
  readonly fallback: ModelChoice | undefined
}

function isSameMoment(a: Moment, b: Moment): boolean {
  return a.turnId === b.turnId && a.settings === b.settings && a.cwd === b.cwd && a.fallback === b.fallback
}

/** Gathers the context; null when the machine is unreachable and the log holds an earlier context. */
async function gatherUnlessGone(
  { state }: Conversation,
  gather: () => Promise<RequestContext>,
): Promise<RequestContext | null> {
  try {
    return await gather()
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError && state.core.context !== null) return null
    throw error
  }
}

async function contextEvent(
  { sideFiles }: Conversation,
  { toolText, adapter, found }: { toolText: string; adapter: string; found: RequestContext },
): Promise<ContextSet> {
  const [instructions, tools, sessionContext] = await Promise.all([
    sideFiles.put(found.instructions),
    sideFiles.put(toolText),
    sideFiles.put(found.sessionContext),
  ])
  return {
    type: 'context.set',
    instructions,
    tools,
    sessionContext,
    adapter,
    instructionFiles: [...found.instructionFiles],
    ...(found.skills.length === 0 ? {} : { skills: found.skills.map(({ name, path }) => ({ name, path })) }),
  }
}

function isChanged(known: Omit<ContextSet, 'type'>, event: ContextSet): boolean {
  return (
    known.instructions !== event.instructions ||
    known.tools !== event.tools ||
    known.sessionContext !== event.sessionContext ||
    known.adapter !== event.adapter
  )
}
