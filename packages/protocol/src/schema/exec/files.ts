import * as z from 'zod'
import { bytes, fenced, location, sandboxIntent, sentBytes } from './process.ts'

const place = { path: location, sandbox: sandboxIntent }
const followLinks = z
  .boolean()
  .default(true)
  .describe('False: rejected where a link on the path leads elsewhere, also one that was created meanwhile.')
const guardKind = z.enum([
  'repository',
  'gitHooks',
  'gitSettings',
  'parley',
  'editor',
  'gitCommands',
  'shellFolder',
  'startsPrograms',
  'agent',
  'atStart',
  'unknown',
])
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 in hex.')

export const fileMethods = {
  'fs/readFile': {
    about: 'Reads a file or a range of it. Files over 16 MiB have to be read in ranges.',
    params: z.object({
      ...place,
      offset: z.int().min(0).default(0).describe('First byte.'),
      length: z
        .int()
        .min(1)
        .max(16 * 1024 * 1024)
        .nullish()
        .describe('Bytes to read; default to the end.'),
      followLinks,
    }),
    result: z.object({
      dataBase64: sentBytes,
      sizeBytes: z.int().describe('Size of the whole file when it was read.'),
      eof: z.boolean().describe('The end of the file is reached.'),
    }),
  },
  'fs/writeFile': {
    about:
      'Replaces a whole file: writes a file beside it, then renames that. Keeps the mode. Through a link, replaces its target.',
    params: z.object({
      ...place,
      dataBase64: bytes,
      expectedHash: sha256
        .nullish()
        .describe(
          'Hash of the content to replace; null requires that there is no file. Left out, any content is replaced.',
        ),
      mode: z
        .int()
        .min(0)
        .max(0o7777)
        .nullish()
        .describe("Permission bits; default the old file's bits, or 0644 less the umask."),
      followLinks,
      ...fenced,
    }),
    result: z.object({ sha256 }),
  },
  'fs/getMetadata': {
    about:
      'Returns facts about a path. Links are followed for all but `isSymlink` and `linkTarget`; a dangling link is neither file nor folder.',
    params: z.object(place),
    result: z.object({
      isDirectory: z.boolean(),
      isFile: z.boolean(),
      isSymlink: z.boolean(),
      size: z.int(),
      linkTarget: z.string().nullable().describe('Target of a link as written in it.'),
      executable: z.boolean().describe('The server may execute it.'),
      mode: z.int().describe('Permission bits.'),
      createdAtMs: z.number(),
      modifiedAtMs: z.number(),
      identity: z
        .string()
        .exactOptional()
        .describe('Device, inode and time of birth: another file or folder has another one. Missing in older servers.'),
      state: z
        .string()
        .exactOptional()
        .describe('Changes with each write to the file, with its times and its rights. Missing in older servers.'),
    }),
  },
  'fs/readDirectory': {
    about: 'Lists the entries of a folder by name.',
    params: z.object({ ...place, followLinks }),
    result: z.object({
      entries: z.array(
        z.object({
          fileName: z.string(),
          isDirectory: z.boolean(),
          isFile: z.boolean(),
          isSymlink: z.boolean().describe('The entry is a link; its target is not examined.'),
        }),
      ),
    }),
  },
  'fs/createDirectory': {
    about: 'Creates a folder.',
    params: z.object({
      ...place,
      recursive: z.boolean().default(false).describe('Also create parents; an existing folder is no error.'),
      followLinks,
      ...fenced,
    }),
    result: z.object({}),
  },
  'fs/remove': {
    about: 'Removes a file, a link or a folder.',
    params: z.object({
      ...place,
      recursive: z.boolean().default(false).describe('Remove a folder with all of its content.'),
      force: z.boolean().default(false).describe('A missing path is no error.'),
      followLinks,
      ...fenced,
    }),
    result: z.object({}),
  },
  'fs/copy': {
    about:
      'Copies a file with its permission bits, a link as a link, or a folder with all below it; pipes, sockets and devices there are left out. A file replaces one, through a link as well; a folder and a link do not.',
    params: z.object({
      sourcePath: location,
      destinationPath: location,
      sandbox: sandboxIntent,
      recursive: z.boolean().default(false).describe('Also copy a folder.'),
      ...fenced,
    }),
    result: z.object({}),
  },
  'fs/canonicalize': {
    about: 'Resolves the links in a path.',
    params: z.object({
      ...place,
      allowMissing: z
        .boolean()
        .default(false)
        .describe(
          'Resolve links in the part of the path that exists and append the rest: the place where a write would land.',
        ),
    }),
    result: z.object({ path: z.string().describe('Path as a `file:` URI.') }),
  },
  'fs/guards': {
    about:
      'Returns why processes confined to `writableRoots` may not change paths: git, an editor, a shell or parley would run them later.',
    params: z.object({
      paths: z.array(location).max(1000).describe('Paths as written, or with links resolved.'),
      writableRoots: z.array(location),
    }),
    result: z.object({
      kinds: z
        .array(guardKind.nullable())
        .describe('Kind of protection for each path, in their order; null: the path may change.'),
    }),
  },
} as const
