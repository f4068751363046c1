import * as z from 'zod'

export const environmentMethods = {
  'environment/list': {
    about: 'Lists the environments that the client may begin a conversation in, without connecting to them.',
    result: z.object({
      environments: z.array(
        z.object({
          name: z.string().describe('Name for `environment` of a request.'),
          cwd: z.string().exactOptional().describe('Folder there that conversations begin in, where it is configured.'),
        }),
      ),
      chosen: z.string().describe('Name of the default environment; `local` for the machine of the server.'),
    }),
  },
} as const
