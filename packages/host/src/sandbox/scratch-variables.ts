/** The environment with temporary files and caches led to `folder`, so that they serve from one command to the next. */
export function intoScratch(env: Readonly<Record<string, string>>, folder: string): Record<string, string> {
  return { ...env, TMPDIR: folder, XDG_CACHE_HOME: `${folder}/cache`, npm_config_cache: `${folder}/npm` }
}
