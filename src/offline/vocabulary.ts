// The words the engine knows something about. Data only; matching is by stems, in words.ts.

const list = (words: string): readonly string[] => words.split(/\s+/).filter((word) => word !== '')

/** Words that say nothing about which tool is meant. */
export const stopWords: ReadonlySet<string> = new Set(
  list(`a an the of to in on at for from by with and or but is are was were be been being am do does did can could would will
  shall should may might must i me my mine we us our you your he she it its they them their this that these those there here
  what which who whom whose when where why how please hey hi hello help want need like let give tell show some any all each
  every just also then than so if as not no into about out up down over under more most very too much many get make let's lets
  i'd i'm i've what's whats it's that's using use based given now currently me's don't thanks thank ok okay e.g such unless
  left when whether one currently again work working today have has had`),
)

/** Words that open a phrase or stand between values. */
export const prepositions: ReadonlySet<string> = new Set(
  list(`in on at for from to by with of about near around between within during after before since until into as than via
  through against regarding using per over under and or then also but is are was which that who where whose if`),
)

/** Words that may stand inside a proper name, between capitalised words. */
export const nameJoiners: ReadonlySet<string> = new Set(list('of the de la del van von di da du el al'))

export const negations: ReadonlySet<string> = new Set(
  list(`no not without don't dont never exclude excluding except isn't disable off cannot can't won't`),
)

/** What a verb asks for; tools whose verb is of another kind are less likely meant. */
export const verbKinds: readonly (readonly [kind: VerbKind, verbs: readonly string[]])[] = [
  ['read', list('get fetch retrieve query show check list display view read tell give open')],
  ['create', list('create add insert schedule book reserve register order buy purchase')],
  ['remove', list('delete remove cancel erase')],
  ['change', list('update change modify edit adjust rename set turn switch dim')],
  ['send', list('send email message mail post')],
  ['calculate', list('compute calculate evaluate solve')],
]
export type VerbKind = 'read' | 'create' | 'remove' | 'change' | 'send' | 'calculate'

/** Groups of words that often stand for each other. */
export const synonymGroups: readonly (readonly string[])[] = [
  list('get fetch retrieve query check display view download'),
  list('find search look lookup google'),
  list('list show display enumerate'),
  list('create add make new insert schedule register'),
  list('delete remove cancel erase drop'),
  list('update change modify edit set adjust'),
  list('compute calculate calc evaluate determine solve'),
  list('buy purchase order'),
  list('book reserve reservation booking'),
  list('send email mail message'),
  list('weather forecast temperature rain snow sunny climate umbrella hot cold warm windy'),
  list('convert exchange change'),
  list('price cost quote rate'),
  list('location place city town address area country region'),
  list('film movie cinema'),
  list('car vehicle automobile'),
  list('event appointment meeting calendar schedule'),
  list('todo task reminder remind chore'),
  list('file document contents content text'),
  list('folder directory'),
  list('read open contents content'),
  list('time clock hour date weekday day'),
  list('sum plus total times multiply divide subtract minus math arithmetic expression calculator calculate product'),
  list('picture image photo'),
  list('song music track album tune'),
  list('play listen hear'),
  list('light lamp bulb'),
  list('turn switch set dim'),
  list('web internet online website page url'),
  list('currency money dollar euro pound yen'),
  list('job employment career'),
  list('doctor physician medical health'),
  list('recipe cook dish ingredient'),
  list('house home apartment property'),
  list('hotel room stay accommodation'),
  list('flight fly airline plane airport'),
  list('train rail railway'),
  list('person people user customer employee'),
  list('distance far length'),
  list('speed velocity fast'),
  list('largest biggest max maximum highest top'),
  list('smallest min minimum lowest'),
  list('law legal court lawsuit attorney lawyer'),
  list('stock share equity'),
  list('message text content body'),
  list('phone call'),
  list('money amount payment pay balance'),
  list('invest investment return interest compound'),
  list('review rating rated stars'),
  list('plant flower garden species'),
  list('game match score team player'),
]

export const languages: ReadonlySet<string> = new Set(
  list(`english french spanish german italian portuguese russian chinese mandarin japanese korean arabic hindi dutch swedish
  norwegian danish finnish polish turkish greek hebrew thai vietnamese latin indonesian czech hungarian ukrainian romanian
  bengali urdu`),
)
