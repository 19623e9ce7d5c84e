/**
 * A small labelled set for recall, made for this project by hand: what an assistant of a small team may have been told to remember, and what it may
 * be asked. Every question has the keys that answer it (2) and those that have to do with it (1), judged before anything was searched. A third of the
 * questions have the words of their answer, a third have them in another form, a third mostly say it differently.
 */
export interface RecallQuestion {
  readonly query: string;
  readonly answers: Readonly<Record<string, 1 | 2>>;
}

export const recallMemories: readonly (readonly [key: string, value: string, ...tags: readonly string[]])[] =
  [
    [
      'deploy window',
      'Production is deployed on Tuesdays and Thursdays between ten and noon, never on a Friday',
      'release',
    ],
    ['deploy command', 'make ship runs the migrations and restarts both web servers', 'release'],
    ['rollback', 'To undo a release, run make unship with the previous tag, then warm the cache', 'release'],
    [
      'release notes',
      'Mira writes the release notes; they are reviewed by whoever did the deployment',
      'release',
      'people',
    ],
    ['staging url', 'The staging site is at staging.example.org, reset every night at three', 'servers'],
    ['database host', 'The main database is PostgreSQL 16 on db1, its replica is db2', 'servers'],
    [
      'database backup',
      'Backups of the database are taken hourly and kept for thirty days in the Zurich bucket',
      'servers',
    ],
    ['restore drill', 'Restoring a backup was last practised in March and took forty minutes', 'servers'],
    ['cache', 'The cache is Redis with two gigabytes; it is emptied by every deployment', 'servers'],
    [
      'slow report',
      'The monthly report times out when it runs over the whole table; use the summary view',
      'incident',
    ],
    ['outage in May', 'The outage in May came from an expired certificate on the load balancer', 'incident'],
    [
      'certificate',
      'Certificates are renewed by hand every ninety days; the reminder goes to Jonas',
      'incident',
    ],
    [
      'on call',
      'On call this month: Jonas in week one and two, Priya in week three, Mira in week four',
      'people',
    ],
    ['mira', 'Mira leads the web team, works from Bergen, and prefers messages to calls', 'people'],
    ['jonas', 'Jonas looks after servers and networks and is away every Wednesday afternoon', 'people'],
    ['priya', 'Priya joined in February, knows the billing system best, and is learning Norwegian', 'people'],
    [
      'standup',
      'The daily standup is at half past nine in the small kitchen, by video on Fridays',
      'meetings',
    ],
    ['planning', 'Sprint planning takes place every other Monday and lasts two hours', 'meetings'],
    [
      'retrospective',
      'The retrospective asks three questions and ends with one change that is tried',
      'meetings',
    ],
    ['holiday', 'The office is closed from 24 December to 2 January', 'office'],
    ['office key', 'The spare key of the office is with the baker next door', 'office'],
    ['printer', 'The printer jams with recycled paper; tray two works', 'office'],
    ['wifi', 'Guests use the wireless network harbour-guest; its password hangs in the hallway', 'office'],
    ['coffee', 'The coffee machine is descaled on the first of each month', 'office'],
    ['lunch', 'Lunch is ordered before half past ten from the Lebanese place, except on Thursdays', 'office'],
    ['invoice', 'Invoices are sent on the last working day and are due within thirty days', 'billing'],
    ['vat', 'Customers in Norway pay 25 percent VAT; exports outside are free of it', 'billing'],
    ['refund', 'Refunds above 500 euros need the approval of the treasurer', 'billing'],
    [
      'payment provider',
      'Cards are charged through Stripe, bank transfers through the local bank',
      'billing',
    ],
    [
      'big customer',
      'Northwind Shipping is the biggest customer and renews its contract in September',
      'customers',
    ],
    [
      'northwind contact',
      'The contact at Northwind is Elin Berg; she wants reports as spreadsheets',
      'customers',
    ],
    [
      'angry customer',
      'Fjord Ferries complained about late answers and was promised one within four hours',
      'customers',
    ],
    ['support hours', 'Support answers from eight to six on weekdays, in English and Norwegian', 'customers'],
    [
      'code style',
      'Code is formatted by the tool and never by hand; reviews do not talk about style',
      'code',
    ],
    ['review', 'Every change is reviewed by one person who did not write it, within a day', 'code'],
    ['tests', 'A bug gets a failing test before it is fixed', 'code'],
    ['flaky test', 'The upload test fails at random on slow machines; run it again before worrying', 'code'],
    ['branch names', 'Branches begin with the number of the ticket', 'code'],
    ['logging', 'Never log e-mail addresses; log the id of the account', 'code', 'privacy'],
    ['deletion', 'Personal data of a closed account is erased after sixty days', 'privacy'],
    ['analytics', 'Visits are counted without cookies, so no consent banner is needed', 'privacy'],
    ['ann birthday', 'Ann was born on the ninth of June and dislikes surprise parties', 'personal'],
    ['allergy', 'Ann is allergic to nuts and carries an injector in the blue bag', 'personal'],
    ['dentist', 'The dentist of Ann is Doctor Holm in Harbour Street, mornings only', 'personal'],
    ['car', 'The car is a grey Volvo; its inspection is due in October', 'personal'],
    ['bicycle', 'The bicycle is locked behind the house, the code is the year of the wedding', 'personal'],
    ['cat', 'The cat is called Binnacle and gets two spoons of dry food in the evening', 'personal'],
    ['travel', 'When booking trains, Ann takes a window seat in the quiet carriage', 'personal'],
  ];

export const recallQuestions: readonly RecallQuestion[] = [
  { query: 'staging site', answers: { 'staging url': 2 } },
  { query: 'who is on call', answers: { 'on call': 2, jonas: 1 } },
  { query: 'printer paper', answers: { printer: 2 } },
  { query: 'spare key office', answers: { 'office key': 2 } },
  { query: 'biggest customer', answers: { 'big customer': 2, 'northwind contact': 1 } },
  { query: 'coffee machine', answers: { coffee: 2 } },
  { query: 'release notes', answers: { 'release notes': 2, rollback: 1 } },
  { query: 'monthly report', answers: { 'slow report': 2 } },
  { query: 'main database', answers: { 'database host': 2, 'database backup': 1 } },
  { query: 'when may I deploy to production?', answers: { 'deploy window': 2, 'deploy command': 1 } },
  { query: 'deploying on Friday', answers: { 'deploy window': 2, 'deploy command': 1 } },
  { query: 'how do I restore the backups', answers: { 'restore drill': 2, 'database backup': 2 } },
  { query: 'renewal of certificates', answers: { certificate: 2, 'outage in May': 1 } },
  { query: 'refunding a customer', answers: { refund: 2 } },
  { query: 'reviewing changes', answers: { review: 2, 'code style': 1 } },
  { query: 'invoicing day', answers: { invoice: 2 } },
  { query: 'naming a branch', answers: { 'branch names': 2 } },
  { query: 'deleting personal data', answers: { deletion: 2, logging: 1 } },
  { query: 'Norwegian support', answers: { 'support hours': 2, priya: 1 } },
  { query: 'allergies', answers: { allergy: 2 } },
  { query: 'inspecting the car', answers: { car: 2 } },
  { query: 'feeding the cat food', answers: { cat: 2 } },
  { query: 'test failing randomly', answers: { 'flaky test': 2, tests: 1 } },
  { query: 'undoing a deployment', answers: { rollback: 2, 'deploy command': 1 } },
  { query: 'password of the wireless', answers: { wifi: 2 } },
  { query: 'logged addresses', answers: { logging: 2 } },
  { query: 'seats when travelling by train', answers: { travel: 2 } },
  { query: 'complaints about answering late', answers: { 'angry customer': 2, 'support hours': 1 } },
  { query: 'planned meeting on Mondays', answers: { planning: 2, standup: 1 } },
  { query: 'closed over Christmas, in December', answers: { holiday: 2 } },
];
