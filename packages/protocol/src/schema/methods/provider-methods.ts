import * as z from 'zod'
import { listedProvider } from '../summaries.ts'
import { checkup } from './policy-methods.ts'

export const providerMethods = {
  'model/list': {
    about: 'Lists models of the configured providers, and local servers that answer.',
    result: z.object({
      models: z.array(
        z.object({
          provider: z.string(),
          id: z.string(),
          current: z.boolean().describe('A new conversation would use this model.'),
        }),
      ),
      problems: z
        .array(z.object({ provider: z.string(), message: z.string() }))
        .describe('Providers that could not be asked.'),
      local: z.array(
        z.object({ provider: z.string(), name: z.string(), baseUrl: z.string(), models: z.array(z.string()) }),
      ),
      lists: z
        .array(z.object({ provider: z.string(), listedAt: z.number().describe('ms since the epoch.') }))
        .exactOptional()
        .describe('Time at which each provider gave its list. One that fails keeps its earlier list.'),
    }),
  },
  'provider/list': {
    about: 'Lists the ready-made and the configured model providers, without connecting to them.',
    result: z.object({
      providers: z.array(listedProvider),
      chosen: z
        .object({
          provider: z.string(),
          model: z.string(),
          because: z.string().describe('End of a sentence: "chosen because …".'),
          warning: z.string().exactOptional().describe('Advice for a provider without a named model.'),
        })
        .nullable()
        .describe('Provider and model of a new conversation; null when no provider is configured and no key is set.'),
    }),
  },
  'provider/check': {
    about:
      'Goes the way of a request to a provider step by step (name, connection, TLS, key, one token of a model, which may cost a little) and ends at the first step that fails.',
    result: checkup,
  },
} as const
