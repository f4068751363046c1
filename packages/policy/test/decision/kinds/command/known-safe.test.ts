import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeKnownSafe, shapeChecks } from '../../../../src/decision/kinds/command/known-safe.ts'
import { flagTools } from '../../../../src/decision/kinds/command/known-safe-tools.ts'

/** Blanks part words; `_` stands for a blank inside one. */
const words = (text: string) => text.split(' ').map((word) => word.replaceAll('_', ' '))

/** Harm that each could do besides looking, were it taken for safe. */
const attacks: Readonly<Record<string, readonly string[]>> = {
  'runs a program of its own': [
    'rg --pre ./evil x',
    'rg --pre=./evil x',
    'rg -n --pre ./evil x',
    'rg x . --pre ./evil',
    'rg --hostname-bin ./evil x',
    'rg --pr ./evil x',
    'rg --search-zip x',
    'rg -zn x',
    'find . -exec ./evil ;',
    'find . -execdir ./evil ;',
    'find . -ok ./evil ;',
    'find . -okdir ./evil ;',
    'find . -name x -o -exec ./evil +',
    'find -D exec . -exec ./evil ;',
    'sort --compress-program=./evil f',
    'sort --compress-program ./evil f',
    'sort --compress-prog=./evil f',
    'sort -S 1 --comp=./evil f',
    'git -C . -c core.pager=./evil log',
    'git --paginate log',
    'git grep -O./evil x',
    'less +!./evil f',
    'less f',
    'more f',
    'man -P ./evil ls',
    'diff -l a b',
    'diff --paginate a b',
    'awk BEGIN{system("evil")}',
    'awk -f evil.awk',
    'sed 1e f',
    'sed -n 1e_./evil f',
    'sed -n s/x/y/e f',
    'sed -n 1p;e f',
    'sed --expression=1e f',
    'sed -f evil.sed f',
    'env ls',
    'env -S ls',
    'xargs ls',
    'nice ls',
    'timeout 1 ls',
    'nohup ls',
    'stdbuf -o0 ls',
    'sudo ls',
    'command ls',
    'command -p ls',
    'busybox ls',
    'tar --checkpoint-action=exec=./evil -cf x .',
    'split --filter=./evil f',
    'watch ls',
    'file -m evil.mgc f',
    'file -C -m evil',
    'ls --zero --hyperlink-format=./evil',
    'printf -v PATH %s .',
    'printf %n PATH',
    'printf %d a[$(id)]',
    'printf %(%s)T x',
    'printf %b x',
    'test -v a[$(id)]',
    'test -R x',
    'test a[$(id)] -eq 1',
    'test -o x',
    'test ( -f x )',
    'expr_x',
    './ls',
    '../ls',
    '/bin/ls',
    'bin/ls',
    'ls.exe',
    'LS',
    '-ls',
    '=ls',
  ],
  'writes a file': [
    'sort -o f f',
    'sort -of f',
    'sort -uof f',
    'sort --output=f f',
    'sort --output f f',
    'sort --outp=f f',
    'sort f -o f',
    'sort -T . f',
    'sort --temporary-directory=. f',
    'sort +0 -1 f',
    'sed -n w_f f',
    'sed -n 1w_f f',
    'sed -n /x/w_f f',
    'sed -n s/a/b/w_f f',
    'sed -n 1p -i f',
    'sed -i 1p f',
    'sed -n 1p --in-place f',
    'sed -n 1p -s f',
    'sed -ni 1p f',
    'sed -n 1p;w f',
    'find . -fprintf f x',
    'find . -fprint f',
    'find . -fprint0 f',
    'find . -fls f',
    'find . -delete',
    'find . ( -name x -delete )',
    'uniq a b',
    'uniq -c a b',
    'uniq - b',
    'tee f',
    'cut --output=f a',
    'xxd -r f g',
    'od -w a',
    'dd of=f',
    'split f',
    'truncate -s0 f',
    'touch f',
    'diff --to-file=a b',
    'git log --output=f',
    'git diff -of',
    'git branch x',
    'tr -d a b c',
    'script f',
  ],
  'changes the machine': [
    'date -s 2020-01-01',
    'date --set=2020-01-01',
    'date --se 2020-01-01',
    'date 010101',
    'date -u 010101',
    'date +%Y 010101',
    'hostname evil',
    'uname -a evil',
    'nproc 1',
    'arch x',
    'whoami x',
    'pwd x',
    'kill 1',
    'mount',
    'ip link set lo down',
    'sysctl -w a=b',
  ],
  'reads names out of a file': [
    'wc --files0-from=f',
    'wc --files0-from f',
    'du --files0-from=f',
    'sort --files0-from=f',
    'sort --files0=f',
    'du -X f',
    'du --exclude-from=f',
    'find -files0-from f',
    'grep -f f x',
    'grep -ff x',
    'grep --file=f x',
    'grep -nf f x',
    'grep --exclude-from=f x',
    'rg -f f',
    'rg --file=f',
    'rg --ignore-file=f x',
    'file -f f',
    'file --files-from=f',
    'date -f f',
    'date -r f',
    'sha256sum -c f',
    'sha256sum --check f',
    'md5sum --chec f',
    'cat @f --files',
    'diff --from-file=f a',
    'diff --exclude-from=f a b',
  ],
  'walks through links, or does not end': [
    'grep -R x .',
    'grep -nR x .',
    'grep --dereference-recursive x .',
    'grep -d recurse x .',
    'grep --directories=recurse x .',
    'rg -L x',
    'rg --follow x',
    'find -L . -name x',
    'find . -follow',
    'du -L .',
    'du --dereference .',
    'ls -R --dereference-command-line',
    'diff -r a b',
    'diff --recursive a b',
    'tail -f f',
    'tail -F f',
    'tail --follow f',
    'tail --follow=name f',
    'tail --pid=1 f',
    'tail --retry f',
    'tail +1f f',
    'tail -1f f',
    'df --sync',
  ],
  'hides an option': [
    'ls --col',
    'sort -k --output=x f',
    'sort -t -o f',
    'grep -e --file=f',
    'grep -m -f f',
    'head -n -f f',
    'cut -d -o f',
    'ls -I --all',
    'ls -w --all',
    'rg -g --pre x',
    'tail -c --follow f',
    'fold -w --x f',
    'cat --version-x',
    'grep --include --file x',
  ],
}

describe('a command known to be safe', () => {
  for (const [what, commands] of Object.entries(attacks)) {
    it.each(commands)(`is not one that ${what}: %j`, (text) => {
      expect(judgeKnownSafe(words(text))).toBeNull()
    })
  }

  it.each([
    'ls',
    'ls -la --color=auto',
    'ls -- -la',
    'cat a b',
    'head -n 5 f',
    'head -5 f',
    'tail -n +5 f',
    'wc -l f',
    'grep -rn x .',
    'grep -e x -A 3 f',
    'rg -n x src',
    'rg --files',
    'sed -n 1,20p f',
    'find . -name *.ts -type f',
    'find . -maxdepth 2 -not -path ./x -print',
    'sort -k 2,2n -t , f',
    'uniq -c f',
    'cut -d : -f 1 f',
    'date +%Y-%m-%d',
    'stat -c %s f',
    'test -f a',
    'test a = b',
    'printf %s\\n a',
    'command -v node',
    'echo -e anything --at=all',
  ])('may be %j', (text) => {
    expect(judgeKnownSafe(words(text))).not.toBeNull()
  })

  it.each(['find . -name x', 'find', 'ls -R .', 'ls -laR', 'ls --recursive', 'du -a .', 'du', 'grep -r x', 'rg x'])(
    'reads everything below a folder: %j',
    (text) => {
      expect(judgeKnownSafe(words(text))?.readsBelow).toBe(true)
    },
  )

  it('accepts no abbreviated long option and no letter that is not listed', () => {
    const program = fc.constantFrom(...flagTools.keys())
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@#!?')
    fc.assert(
      fc.property(
        program,
        letter,
        fc.string({ unit: fc.constantFrom(...'abcdefgopqrst-'), maxLength: 9 }),
        (name, flag, long) => {
          const tool = flagTools.get(name)
          const isListed = `${tool?.flags ?? ''}${tool?.valueFlags ?? ''}`.includes(flag)
          if (!isListed) expect(judgeKnownSafe([name, `-${flag}`])).toBeNull()
          const known = `${tool?.long ?? ''} ${tool?.valueLong ?? ''}`.split(' ')
          if (long !== '' && !known.includes(`--${long}`)) {
            expect(judgeKnownSafe([name, `--${long}`])).toBeNull()
            expect(judgeKnownSafe([name, `--${long}=x`])).toBeNull()
          }
        },
      ),
      { numRuns: runsOf(2_000) },
    )
  })

  it('is a listed program', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 8 }),
        fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
        (name, args) => {
          fc.pre(!flagTools.has(name) && !shapeChecks.has(name))
          expect(judgeKnownSafe([name, ...args])).toBeNull()
        },
      ),
    )
  })
})
