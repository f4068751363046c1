declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const argv = process.argv.slice(2)
if (argv[0] === '--version' || argv[0] === '-V') {
  process.stdout.write(`${PARLEY_VERSION}\n`)
} else {
  const { main } = await import('./main.ts')
  await main(argv, { version: PARLEY_VERSION, build: PARLEY_BUILD, moduleUrl: import.meta.url })
}
