import { isRecord, parseRecord, wellFormedJson } from '@parley/text'
import type { ListedModel, ModelRequest, ToolSpec } from '../../port/model-client.ts'
import { anySchema } from '../../port/tool-rules.ts'
import type { HttpWire, WriteRequest } from '../../port/wire.ts'
import { listedModel } from '../listed-model.ts'
import { bodyOf } from '../write-entries.ts'
import { readGeminiErrorBody } from './read-error.ts'
import { createGeminiReader } from './read-response.ts'
import { createContentWriter } from './write-contents.ts'

/** Wire of the Gemini API of Google. */
export const geminiWire: HttpWire = {
  version: 'gemini/1',
  // "reference to undefined schema at …", "If a schema node has $ref set, then only description and default can be set alongside it".
  toolRules: { ...anySchema, plainReferences: true },
  headers: (key): Record<string, string> => (key === undefined ? {} : { 'x-goog-api-key': key }),
  requestPath: (model) => `/${modelPath(model)}:streamGenerateContent?alt=sse`,
  modelsPath: '/models?pageSize=1000',
  readModels,
  readError: readGeminiErrorBody,
  createWriter: createGeminiWriter,
  createReader: createGeminiReader,
}

function modelPath(model: string): string {
  const path = model.includes('/') ? model : `models/${model}`
  return path.toWellFormed().split('/').map(encodeURIComponent).join('/')
}

/** Returns the models that generate content, without `models/` before their names. */
function readModels(body: string): readonly ListedModel[] | undefined {
  const list = parseRecord(body)?.['models']
  if (!Array.isArray(list)) return undefined
  return list.filter(isRecord).flatMap((model) => {
    const { name, supportedGenerationMethods: methods } = model
    const isFit = !Array.isArray(methods) || methods.includes('generateContent')
    return typeof name === 'string' && isFit ? [listedModel(name.replace(/^models\//, ''), model)] : []
  })
}

function createGeminiWriter(adapter: string): WriteRequest {
  const older = createContentWriter(adapter, { signs: false })
  const newer = createContentWriter(adapter, { signs: true })
  return (request) => {
    const writeContents = generationOf(request.model) === 'newer' ? newer : older
    const head = wellFormedJson(settingsOf(request)).slice(0, -1)
    const separator = head === '{' ? '' : ','
    return bodyOf(`${head}${separator}"contents":`, writeContents(request.entries))
  }
}

/** Generation of a model: the newer ones have levels of thinking and signatures; a later Gemini is taken for one. */
function generationOf(model: string): 'newer' | '2.5' | 'other' {
  const name = model.split('/').at(-1) ?? model
  if (/^gemini-2\.5/.test(name)) return '2.5'
  return /^gemini-(?!1|2|pro$|pro-vision)/.test(name) ? 'newer' : 'other'
}

function settingsOf(request: ModelRequest): object {
  const { model, effort, instructions, tools, outputSchema, maxOutputTokens } = request
  const generation = generationOf(model)
  const thinking = thinkingOf(generation, effort, model)
  // Older models take a schema only without tools.
  const holds = outputSchema !== undefined && (generation === 'newer' || tools.length === 0)
  const config = {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
    ...(holds ? { responseMimeType: 'application/json', responseJsonSchema: outputSchema } : {}),
  }
  return {
    ...(instructions === '' ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(toolOf) }] }),
    ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
  }
}

function toolOf({ name, description, parameters }: ToolSpec): object {
  return { name, description, parametersJsonSchema: parameters }
}

const levels: Readonly<Record<string, string>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
}
const budgets: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
}
/** Least budget of the 2.5 Pro models, which always think. */
const leastProBudget = 128

function thinkingOf(generation: string, effort: string | undefined, model: string): object | undefined {
  if (generation === 'other') return undefined
  if (effort === undefined) return { includeThoughts: true }
  if (generation === 'newer') return { includeThoughts: true, thinkingLevel: levels[effort] ?? effort }
  const budget = budgets[effort]
  if (budget === undefined) return { includeThoughts: true }
  return { includeThoughts: true, thinkingBudget: model.includes('pro') ? Math.max(leastProBudget, budget) : budget }
}
