/** State of the screen that decides the meaning of a key. Several hold at once, the innermost first. */
export type KeyPlace =
  | 'lost'
  | 'hanging'
  | 'picker'
  | 'menu'
  | 'search'
  | 'completions'
  | 'note'
  | 'edit'
  | 'form'
  | 'rule'
  | 'question'
  | 'onlyAnswered'
  | 'writing'
  | 'composer'
  | 'command'
  | 'running'
  | 'sent'
  | 'turn'
  | 'stopping'
  | 'idle'
  | 'anywhere'

/** Condition on the text: empty, not empty, or more than one line. */
export type KeyCondition = 'empty' | 'written' | 'severalLines'

export type KeyAct =
  | 'answer'
  | 'archiveListed'
  | 'backToQuestion'
  | 'breakLine'
  | 'chooseCompletion'
  | 'clear'
  | 'clearWindow'
  | 'closeCompletions'
  | 'closeMenu'
  | 'closeNote'
  | 'closeRule'
  | 'closeSearch'
  | 'complete'
  | 'completeModel'
  | 'cycleMode'
  | 'deleteListed'
  | 'editOutside'
  | 'editWaiting'
  | 'fill'
  | 'interrupt'
  | 'leave'
  | 'leaveQuestion'
  | 'nothing'
  | 'offerEarlier'
  | 'offerToLeave'
  | 'openFold'
  | 'openTranscript'
  | 'pick'
  | 'previousField'
  | 'queue'
  | 'renameListed'
  | 'restart'
  | 'search'
  | 'searchNewer'
  | 'searchOlder'
  | 'send'
  | 'sendToBackground'
  | 'showKeys'
  | 'stopCommand'
  | 'suspend'
  | 'takeBack'
  | 'takeFound'
  | 'wait'

/** Row of the table: what keys do in the places of its section. */
export interface KeyRow {
  /** Keys by their chord, or typed letters. */
  readonly keys: readonly string[]
  readonly when?: KeyCondition
  readonly act: KeyAct
  /** Description for people; null where another row has it. */
  readonly words: string | null
}

interface Section {
  readonly title: string
  readonly places: readonly KeyPlace[]
  readonly rows: readonly KeyRow[]
}

/** Keys by state. The first row of the innermost place with a true condition counts; other keys write text. */
export const keySections: readonly Section[] = [
  {
    title: 'Anywhere',
    places: ['anywhere'],
    rows: [
      { keys: ['ctrl+z'], act: 'suspend', words: 'back to the shell for a while; `fg` comes back' },
      { keys: ['ctrl+t'], act: 'openTranscript', words: 'all of the conversation, to page, search and copy' },
      { keys: ['ctrl+o'], act: 'openFold', words: 'the last folded part, whole' },
    ],
  },
  {
    title: 'In the composer',
    places: ['composer', 'writing', 'completions'],
    rows: [
      { keys: ['enter'], act: 'send', words: 'send; a backslash before it breaks the line' },
      {
        keys: ['alt+enter'],
        when: 'severalLines',
        act: 'breakLine',
        words: 'break the line, once the text has more than one',
      },
      { keys: ['ctrl+c'], when: 'written', act: 'clear', words: 'clear the text' },
      { keys: ['shift+tab'], act: 'cycleMode', words: 'the next mode: ask, edit, plan; the status line names it' },
      { keys: ['tab'], act: 'completeModel', words: 'after `/model`, the list of models' },
      { keys: ['ctrl+r'], act: 'search', words: 'search what you sent before, in all folders' },
      { keys: ['ctrl+g'], act: 'editOutside', words: 'write in your editor: `$VISUAL`, else `$EDITOR`' },
    ],
  },
  {
    title: 'In an empty composer',
    places: ['composer'],
    rows: [
      { keys: ['?'], when: 'empty', act: 'showKeys', words: 'the keys used most; `/keys` lists all' },
      { keys: ['up'], when: 'empty', act: 'editWaiting', words: 'change the newest message that waits' },
      {
        keys: ['ctrl+l'],
        when: 'empty',
        act: 'clearWindow',
        words: 'an empty window; all rows go into the scrollback',
      },
      { keys: ['ctrl+d'], when: 'empty', act: 'leave', words: 'leave' },
    ],
  },
  {
    title: 'Nothing runs',
    places: ['idle'],
    rows: [
      { keys: ['alt+enter'], act: 'breakLine', words: 'break the line' },
      { keys: ['ctrl+c'], act: 'offerToLeave', words: 'twice within 2 s: leave, when the composer is empty' },
      {
        keys: ['escape'],
        when: 'empty',
        act: 'offerEarlier',
        words: 'twice within 1 s: go back to an earlier message, in a copy of the conversation',
      },
    ],
  },
  {
    title: 'A message was just sent',
    places: ['sent'],
    rows: [{ keys: ['escape'], act: 'takeBack', words: 'take it back, before anything of the answer has come' }],
  },
  {
    title: 'A turn runs',
    places: ['turn', 'sent'],
    rows: [
      { keys: ['escape', 'ctrl+c'], act: 'interrupt', words: 'stop the turn; your messages that wait come back' },
      { keys: ['alt+enter'], act: 'queue', words: 'send for the next turn; Enter sends for the next step' },
    ],
  },
  {
    title: 'A turn is being stopped',
    places: ['stopping'],
    rows: [
      { keys: ['escape'], act: 'nothing', words: null },
      { keys: ['ctrl+c'], act: 'offerToLeave', words: 'twice within 2 s: leave without waiting' },
      { keys: ['alt+enter'], act: 'queue', words: null },
    ],
  },
  {
    title: 'A command of yours runs',
    places: ['command'],
    rows: [
      { keys: ['escape', 'ctrl+c'], act: 'stopCommand', words: 'stop the command; then the turn' },
      { keys: ['alt+enter'], act: 'queue', words: null },
    ],
  },
  {
    title: 'A command runs, yours or the model’s',
    places: ['command', 'running'],
    rows: [
      {
        keys: ['ctrl+b'],
        when: 'empty',
        act: 'sendToBackground',
        words: 'let it run on in the background, when the composer is empty',
      },
    ],
  },
  {
    title: 'A question waits',
    places: ['question'],
    rows: [
      {
        keys: ['y', 'a', 'e', 'r', 'n', 'v', 'w'],
        act: 'answer',
        words: 'the answers it offers; a letter counts when nothing is typed after it',
      },
      { keys: ['up', 'down', 'enter'], act: 'answer', words: 'choose an answer and give it' },
      { keys: ['tab'], act: 'answer', words: 'write a message' },
      { keys: ['ctrl+d'], act: 'leaveQuestion', words: 'leave; with unsent text, show it' },
    ],
  },
  {
    title: 'A question waits, for who may answer and not send',
    places: ['onlyAnswered'],
    rows: [{ keys: ['escape'], act: 'answer', words: null }],
  },
  {
    title: 'A rule to remember is shown',
    places: ['rule'],
    rows: [
      { keys: ['r', 'enter'], act: 'answer', words: 'add the rule' },
      { keys: ['escape'], act: 'closeRule', words: 'back to the answers' },
      { keys: ['ctrl+d'], act: 'closeRule', words: null },
    ],
  },
  {
    title: 'The composer is open over a question',
    places: ['writing'],
    rows: [
      { keys: ['escape'], act: 'backToQuestion', words: 'back to the question; the text is kept' },
      { keys: ['up'], when: 'empty', act: 'editWaiting', words: null },
      { keys: ['ctrl+d'], when: 'empty', act: 'leave', words: null },
    ],
  },
  {
    title: 'A note to a denied call, or a message that waits',
    places: ['note', 'edit'],
    rows: [
      { keys: ['enter'], act: 'send', words: 'deny with the note, or keep the change; an empty message is taken back' },
      { keys: ['alt+enter'], act: 'breakLine', words: 'break the line' },
      { keys: ['ctrl+g'], act: 'editOutside', words: null },
      { keys: ['escape', 'ctrl+d'], act: 'closeNote', words: 'leave it as it was' },
      { keys: ['ctrl+c'], when: 'written', act: 'clear', words: null },
    ],
  },
  {
    title: 'A form',
    places: ['form'],
    rows: [
      { keys: ['enter'], act: 'fill', words: 'next field; after the last, send' },
      {
        keys: ['up', 'down', 'tab'],
        act: 'fill',
        words: 'choose among options; a number does, too. Space ticks one where several may be chosen',
      },
      {
        keys: ['escape', 'ctrl+d'],
        act: 'previousField',
        words: 'the field before; in the first, back to the question',
      },
      { keys: ['ctrl+c'], when: 'written', act: 'clear', words: null },
    ],
  },
  {
    title: 'A list of completions',
    places: ['completions'],
    rows: [
      { keys: ['up', 'down'], act: 'chooseCompletion', words: 'choose' },
      { keys: ['tab'], act: 'complete', words: 'take the chosen one' },
      { keys: ['escape', 'ctrl+d'], act: 'closeCompletions', words: 'close the list' },
    ],
  },
  {
    title: 'The search of what you sent',
    places: ['search'],
    rows: [
      { keys: ['ctrl+r', 'up'], act: 'searchOlder', words: 'an older match' },
      { keys: ['ctrl+s', 'down'], act: 'searchNewer', words: 'a newer match' },
      {
        keys: ['enter', 'tab'],
        act: 'takeFound',
        words: 'put the match in the composer, as any move of the caret does',
      },
      { keys: ['escape', 'ctrl+c', 'ctrl+g', 'ctrl+d'], act: 'closeSearch', words: 'close it; the text is as before' },
    ],
  },
  {
    title: 'A menu',
    places: ['menu'],
    rows: [
      {
        keys: ['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'enter'],
        act: 'pick',
        words: 'choose and take; typing filters',
      },
      { keys: ['escape', 'ctrl+c', 'ctrl+d'], act: 'closeMenu', words: 'close it' },
    ],
  },
  {
    title: 'The list of conversations',
    places: ['picker'],
    rows: [
      { keys: ['tab'], act: 'pick', words: 'those of this folder, of all, the archived ones' },
      { keys: ['ctrl+r'], act: 'renameListed', words: 'name the chosen one' },
      { keys: ['ctrl+x'], act: 'archiveListed', words: 'archive it, or put it back' },
      { keys: ['delete'], act: 'deleteListed', words: 'delete it, after a second Enter' },
    ],
  },
  {
    title: 'The server is gone',
    places: ['lost'],
    rows: [
      { keys: ['r'], when: 'empty', act: 'restart', words: 'start it anew' },
      { keys: ['ctrl+r'], act: 'restart', words: 'start it anew; the text is kept' },
    ],
  },
  {
    title: 'The server does not answer',
    places: ['hanging'],
    rows: [
      { keys: ['ctrl+r'], act: 'restart', words: 'end it and start it anew; the text is kept' },
      { keys: ['escape'], act: 'wait', words: 'wait for it' },
    ],
  },
]
