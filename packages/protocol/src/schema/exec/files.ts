import * as z from 'zod'
import { bytes, location, sandboxIntent, sentBytes } from './process.ts'

const place = { path: location, sandbox: sandboxIntent }
const followLinks = z
  .boolean()
  .default(true)
  .describe('False: refused where a link on the way leads to another place, also one put there meanwhile.')
const guardKind = z.enum([
  'repository',
  'gitHooks',
  'gitSettings',
  'parley',
  'editor',
  'gitCommands',
  'shellFolder',
  'startsPrograms',
  'atStart',
  'unknown',
])
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 in hex.')

export const fileMethods = {
  'fs/readFile': {
    about: 'A file, or a range of it: what is longer than 16 MiB comes in ranges.',
    params: z.object({
      ...place,
      offset: z.int().min(0).default(0).describe('First byte.'),
      length: z
        .int()
        .min(1)
        .max(16 * 1024 * 1024)
        .nullish()
        .describe('To the end unless told.'),
      followLinks,
    }),
    result: z.object({
      dataBase64: sentBytes,
      sizeBytes: z.int().describe('Of the whole file, when it was read.'),
      eof: z.boolean().describe('Nothing follows.'),
    }),
  },
  'fs/writeFile': {
    about: 'Replaces a file as a whole: written beside it, then renamed. Keeps its mode; through a link, its target.',
    params: z.object({
      ...place,
      dataBase64: bytes,
      expectedHash: sha256
        .nullish()
        .describe('Of the content it replaces; null: there must be no file. Left out: whatever is there.'),
      mode: z.int().min(0).max(0o7777).nullish().describe('Permissions; of the old file, or 0644 less the umask.'),
      followLinks,
    }),
    result: z.object({ sha256 }),
  },
  'fs/getMetadata': {
    about:
      'What is at a path. A link is followed for all but `isSymlink` and `linkTarget`; one that leads nowhere is neither file nor folder.',
    params: z.object(place),
    result: z.object({
      isDirectory: z.boolean(),
      isFile: z.boolean(),
      isSymlink: z.boolean(),
      size: z.int(),
      linkTarget: z.string().nullable().describe('What a link says, as it is written in it.'),
      executable: z.boolean().describe('The server may execute it.'),
      mode: z.int().describe('Permission bits.'),
      createdAtMs: z.number(),
      modifiedAtMs: z.number(),
    }),
  },
  'fs/readDirectory': {
    about: 'The entries of a folder by name.',
    params: z.object({ ...place, followLinks }),
    result: z.object({
      entries: z.array(
        z.object({
          fileName: z.string(),
          isDirectory: z.boolean(),
          isFile: z.boolean(),
          isSymlink: z.boolean().describe('What it leads to is not looked at.'),
        }),
      ),
    }),
  },
  'fs/createDirectory': {
    about: 'A folder.',
    params: z.object({
      ...place,
      recursive: z.boolean().default(false).describe('With its parents; one that is there is no error.'),
      followLinks,
    }),
    result: z.object({}),
  },
  'fs/remove': {
    about: 'A file, a link or a folder.',
    params: z.object({
      ...place,
      recursive: z.boolean().default(false).describe('A folder with all that is in it.'),
      force: z.boolean().default(false).describe('Nothing there is no error.'),
      followLinks,
    }),
    result: z.object({}),
  },
  'fs/canonicalize': {
    about: 'The path without links.',
    params: z.object({
      ...place,
      allowMissing: z
        .boolean()
        .default(false)
        .describe('Links are followed in what exists, and what does not is appended: where a write would land.'),
    }),
    result: z.object({ path: z.string().describe('As a `file:` URI.') }),
  },
  'fs/guards': {
    about:
      'Why paths stay as they are for processes confined to write in `writableRoots`: what git, an editor, a shell or parley runs later.',
    params: z.object({
      paths: z.array(location).max(1000).describe('As they are written, or without links.'),
      writableRoots: z.array(location),
    }),
    result: z.object({
      kinds: z.array(guardKind.nullable()).describe('One for each path, in their order; null: it may change.'),
    }),
  },
} as const
