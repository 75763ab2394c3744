// The words that most leaked passwords are made of. Those that are too short by themselves come back with digits behind them,
// doubled, or with letters written as digits; none of these is taken.

const words = new Set(
  `password passwort passw0rd qwerty qwertyuiop qwertyui qwertz azerty asdfgh asdfghjkl asdfghjklqwertyuiop zxcvbnm qazwsx
qazwsxedc qazwsxedcrfv wsxqaz zaqwsx iloveyou iloveyouforever iloveme loveyou loveme love lovely lover princess prince dragon monkey
sunshine football baseball basketball softball hockey soccer cricket rugby golf tennis superman batman spiderman ironman
starwars pokemon naruto minecraft fortnite letmein letmeinnow letmeinplease welcome welcomehome welcomeback login logmein admin administrator
adminadmin root toor user username guest test testing tester tests testtest testpassword temp temporary changeme changemenow changeit default secret
secretpassword topsecret mysecret master masterkey master shadow hunter killer trustno trustnoone trustme access accessdenied
michael michelle jennifer jessica ashley amanda nicole daniel danielle andrew anthony joshua matthew justin robert
thomas jordan charlie george william oliver harry jack james john david chris christopher christian alexander alexandra
alexis elizabeth victoria charlotte sophie emily hannah samantha stephanie melissa patricia barbara richard maggie
buster bailey ginger pepper cookie chocolate cheese banana orange apple strawberry blueberry cherry peanut butterfly
flower flowers rainbow summer winter autumn spring january february march april may june july august september october
november december monday tuesday wednesday thursday friday saturday sunday liverpool liverpoolfc arsenal arsenalfc
chelsea chelseafc manchester manchesterunited manunited mancity everton tottenham spurs celtic rangers barcelona
realmadrid juventus england scotland wales ireland london britain unitedkingdom america australia canada germany france
internet computer laptop samsung iphone apple google facebook instagram twitter youtube whatsapp linkedin microsoft
windows linux ubuntu debian android nintendo playstation xbox mercedes ferrari porsche mustang corvette harley yamaha
honda toyota jaguar angel angels babygirl babyboy baby mybaby sweetheart sweetie darling honey sugar candy friends
bestfriend bestfriends family forever foreveryoung together freedom happy happiness smile blessed jesus jesuschrist
jesuslovesme godisgood godbless godislove heaven faith hope peace whatever nothing something anything mypassword
yourpassword thepassword newpassword oldpassword password mypass pass passpass passphrase passcode security secure
private personal company business office manager service support helpdesk helpme system server database oracle mysql
postgres postgresql network router cisco huawei wireless wifi wifipassword hello helloworld hellohello hello hellokitty
goodbye goodmorning goodnight thankyou fuckyou fuckyoufuckyou fuckoff fuckme asshole bitch sexy sexygirl sexybaby
pussy money moneymoney dollar pounds million billion lottery lucky luckyseven winner champion number numberone
matrix mercury phoenix eagle falcon tiger lion wolf panther bear dolphin elephant kitten puppy doggie
thunder lightning storm diamond crystal silver golden platinum midnight moonlight starlight sunflower
abc abcd abcde abcdef abcdefg abcdefgh abcdefghi abcdefghij abcdefghijkl abcdefghijklm abcabc abcdabcd aaaaaa
correcthorsebatterystaple correcthorse batterystaple tobeornottobe maytheforcebewithyou domesday domesdaybook property
propertydata landregistry counciltax houseprices qwe qweasd qweasdzxc qwerasdfzxcv asd asdasd asdf asdfasdf zxc zxcv zxcvzxcv
asdqwe qwertyqwerty qwertyasdf qwertyuiopasdfghjkl poiuytrewq lkjhgfdsa mnbvcxz onetwothree onetwothreefour iamgod iamtheone
imissyou ihateyou ilovejesus ilovegod ilovemyself ilovemyfamily ilovemymum`.split(/\s+/),
);

const asLetters = new Map(
  Object.entries({ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's' }),
);

/** Of a password in lower case. */
export function isGuessable(plain: string): boolean {
  if (new Set(plain).size < 5 || isRun(plain)) return true;
  const bare = plain.replace(/^[^a-z]+|[^a-z]+$/g, '');
  const respelt = plain
    .replace(/[^a-z0-9@$]+/g, '')
    .replace(/[\d@$!]{2,}$/, '')
    .replace(/[013457@$]/g, (sign) => asLetters.get(sign) ?? sign)
    .replace(/\d+/g, '');
  return [plain, bare, bare.replace(/[^a-z]/g, ''), respelt].some((text) => isMadeOfOneWord(text));
}

function isMadeOfOneWord(text: string): boolean {
  if (words.has(text)) return true;
  // Twice or three times the same.
  return [2, 3, 4].some((times) => {
    const part = text.slice(0, text.length / times);
    return part !== '' && part.repeat(times) === text && words.has(part);
  });
}

/** Digits or letters one after the other, up or down: 123456789012, or 987654321098. */
function isRun(plain: string): boolean {
  const codes = Array.from(plain, (character) => character.charCodeAt(0));
  const isStep = (by: number) =>
    codes.every((code, at) => {
      const before = codes[at - 1];
      return before === undefined || (code - before - by + 10) % 10 === 0;
    });
  return /^(\d+|[a-z]+)$/.test(plain) && (isStep(1) || isStep(-1));
}
