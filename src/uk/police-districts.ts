// Which police force area a district lies in, by the codes of ONS. Directories such as Code-Point Open give a postcode's
// district and county but no force, and who reports crime nearby does not tell it: rows of a force lie in its
// neighbours' areas too. It is a table of the program because it must hold for any postcodes, loaded before or after.
//
// Force areas are made of whole districts: of counties and unitary authorities (Police Act 1996, schedule 1, as amended).
// Codes of abolished districts are in it, since a directory may be older than a reorganisation.

type Range = readonly [first: string, last: string, forceArea: string];

/** Codes of a county's districts follow each other. No code is in two ranges. */
const districts: readonly Range[] = [
  ['E06000001', 'E06000004', 'E23000013'], // Hartlepool … Stockton-on-Tees: Cleveland
  ['E06000005', 'E06000005', 'E23000008'], // Darlington: Durham
  ['E06000006', 'E06000007', 'E23000006'], // Halton, Warrington: Cheshire
  ['E06000008', 'E06000009', 'E23000003'], // Blackburn with Darwen, Blackpool: Lancashire
  ['E06000010', 'E06000013', 'E23000012'], // Kingston upon Hull … North Lincolnshire: Humberside
  ['E06000014', 'E06000014', 'E23000009'], // York: North Yorkshire
  ['E06000015', 'E06000015', 'E23000018'], // Derby: Derbyshire
  ['E06000016', 'E06000017', 'E23000021'], // Leicester, Rutland: Leicestershire
  ['E06000018', 'E06000018', 'E23000019'], // Nottingham: Nottinghamshire
  ['E06000019', 'E06000020', 'E23000016'], // Herefordshire, Telford and Wrekin: West Mercia
  ['E06000021', 'E06000021', 'E23000015'], // Stoke-on-Trent: Staffordshire
  ['E06000022', 'E06000025', 'E23000036'], // Bath … South Gloucestershire: Avon and Somerset
  ['E06000026', 'E06000027', 'E23000035'], // Plymouth, Torbay: Devon & Cornwall
  ['E06000028', 'E06000029', 'E23000039'], // Bournemouth, Poole (until 2019): Dorset
  ['E06000030', 'E06000030', 'E23000038'], // Swindon: Wiltshire
  ['E06000031', 'E06000031', 'E23000023'], // Peterborough: Cambridgeshire
  ['E06000032', 'E06000032', 'E23000026'], // Luton: Bedfordshire
  ['E06000033', 'E06000034', 'E23000028'], // Southend-on-Sea, Thurrock: Essex
  ['E06000035', 'E06000035', 'E23000032'], // Medway: Kent
  ['E06000036', 'E06000042', 'E23000029'], // Berkshire, Milton Keynes: Thames Valley
  ['E06000043', 'E06000043', 'E23000033'], // Brighton and Hove: Sussex
  ['E06000044', 'E06000046', 'E23000030'], // Portsmouth, Southampton, Isle of Wight: Hampshire
  ['E06000047', 'E06000047', 'E23000008'], // County Durham
  ['E06000048', 'E06000048', 'E23000007'], // Northumberland (until 2013): Northumbria
  ['E06000049', 'E06000050', 'E23000006'], // Cheshire East, Cheshire West and Chester
  ['E06000051', 'E06000051', 'E23000016'], // Shropshire: West Mercia
  ['E06000052', 'E06000053', 'E23000035'], // Cornwall, Isles of Scilly: Devon & Cornwall
  ['E06000054', 'E06000054', 'E23000038'], // Wiltshire
  ['E06000055', 'E06000056', 'E23000026'], // Bedford, Central Bedfordshire
  ['E06000057', 'E06000057', 'E23000007'], // Northumberland: Northumbria
  ['E06000058', 'E06000059', 'E23000039'], // Bournemouth, Christchurch and Poole, Dorset
  ['E06000060', 'E06000060', 'E23000029'], // Buckinghamshire: Thames Valley
  ['E06000061', 'E06000062', 'E23000022'], // North and West Northamptonshire
  ['E06000063', 'E06000064', 'E23000002'], // Cumberland, Westmorland and Furness: Cumbria
  ['E06000065', 'E06000065', 'E23000009'], // North Yorkshire
  ['E06000066', 'E06000066', 'E23000036'], // Somerset: Avon and Somerset
  ['E07000001', 'E07000003', 'E23000026'], // Bedfordshire (until 2009)
  ['E07000004', 'E07000007', 'E23000029'], // Buckinghamshire (until 2020): Thames Valley
  ['E07000008', 'E07000012', 'E23000023'], // Cambridgeshire
  ['E07000013', 'E07000018', 'E23000006'], // Cheshire (until 2009)
  ['E07000019', 'E07000025', 'E23000035'], // Cornwall and Isles of Scilly (until 2009): Devon & Cornwall
  ['E07000026', 'E07000031', 'E23000002'], // Cumbria (until 2023)
  ['E07000032', 'E07000039', 'E23000018'], // Derbyshire
  ['E07000040', 'E07000047', 'E23000035'], // Devon: Devon & Cornwall
  ['E07000048', 'E07000053', 'E23000039'], // Dorset (until 2019)
  ['E07000054', 'E07000060', 'E23000008'], // County Durham (until 2009)
  ['E07000061', 'E07000065', 'E23000033'], // East Sussex: Sussex
  ['E07000066', 'E07000077', 'E23000028'], // Essex
  ['E07000078', 'E07000083', 'E23000037'], // Gloucestershire
  ['E07000084', 'E07000094', 'E23000030'], // Hampshire
  ['E07000095', 'E07000104', 'E23000027'], // Hertfordshire, four of them until 2012 or 2013
  ['E07000105', 'E07000116', 'E23000032'], // Kent
  ['E07000117', 'E07000128', 'E23000003'], // Lancashire
  ['E07000129', 'E07000135', 'E23000021'], // Leicestershire
  ['E07000136', 'E07000142', 'E23000020'], // Lincolnshire
  ['E07000143', 'E07000149', 'E23000024'], // Norfolk
  ['E07000150', 'E07000156', 'E23000022'], // Northamptonshire (until 2021)
  ['E07000157', 'E07000162', 'E23000007'], // Northumberland (until 2009): Northumbria
  ['E07000163', 'E07000169', 'E23000009'], // North Yorkshire (until 2023)
  ['E07000170', 'E07000176', 'E23000019'], // Nottinghamshire
  ['E07000177', 'E07000181', 'E23000029'], // Oxfordshire: Thames Valley
  ['E07000182', 'E07000186', 'E23000016'], // Shropshire (until 2009): West Mercia
  ['E07000187', 'E07000191', 'E23000036'], // Somerset (until 2019 or 2023): Avon and Somerset
  ['E07000192', 'E07000199', 'E23000015'], // Staffordshire
  ['E07000200', 'E07000206', 'E23000025'], // Suffolk, four of them until 2019
  ['E07000207', 'E07000217', 'E23000031'], // Surrey
  ['E07000218', 'E07000222', 'E23000017'], // Warwickshire
  ['E07000223', 'E07000229', 'E23000033'], // West Sussex: Sussex
  ['E07000230', 'E07000233', 'E23000038'], // Wiltshire (until 2009)
  ['E07000234', 'E07000239', 'E23000016'], // Worcestershire: West Mercia
  ['E07000240', 'E07000243', 'E23000027'], // St Albans, Welwyn Hatfield, East Hertfordshire, Stevenage: Hertfordshire
  ['E07000244', 'E07000245', 'E23000025'], // East Suffolk, West Suffolk
  ['E07000246', 'E07000246', 'E23000036'], // Somerset West and Taunton (until 2023): Avon and Somerset
  ['E08000001', 'E08000010', 'E23000005'], // Greater Manchester
  ['E08000011', 'E08000015', 'E23000004'], // Merseyside
  ['E08000016', 'E08000019', 'E23000011'], // South Yorkshire, two of them under an earlier code
  ['E08000020', 'E08000024', 'E23000007'], // Tyne and Wear: Northumbria
  ['E08000025', 'E08000031', 'E23000014'], // West Midlands
  ['E08000032', 'E08000036', 'E23000010'], // West Yorkshire
  ['E08000037', 'E08000037', 'E23000007'], // Gateshead: Northumbria
  ['E08000038', 'E08000039', 'E23000011'], // Barnsley, Sheffield: South Yorkshire
  ['E09000001', 'E09000001', 'E23000034'], // City of London
  ['E09000002', 'E09000033', 'E23000001'], // the London boroughs: Metropolitan Police
  ['W06000001', 'W06000006', 'W15000001'], // Isle of Anglesey … Wrexham: North Wales
  ['W06000007', 'W06000010', 'W15000004'], // Powys (earlier code), Ceredigion … Carmarthenshire: Dyfed-Powys
  ['W06000011', 'W06000017', 'W15000003'], // Swansea … Merthyr Tydfil (earlier code): South Wales
  ['W06000018', 'W06000022', 'W15000002'], // Caerphilly … Newport: Gwent
  ['W06000023', 'W06000023', 'W15000004'], // Powys: Dyfed-Powys
  ['W06000024', 'W06000024', 'W15000003'], // Merthyr Tydfil: South Wales
];

/** For a district that is newer than this table: its county may be older. */
const counties: ReadonlyMap<string, string> = new Map([
  ['E10000001', 'E23000026'], // Bedfordshire
  ['E10000002', 'E23000029'], // Buckinghamshire: Thames Valley
  ['E10000003', 'E23000023'], // Cambridgeshire
  ['E10000004', 'E23000006'], // Cheshire
  ['E10000005', 'E23000035'], // Cornwall: Devon & Cornwall
  ['E10000006', 'E23000002'], // Cumbria
  ['E10000007', 'E23000018'], // Derbyshire
  ['E10000008', 'E23000035'], // Devon: Devon & Cornwall
  ['E10000009', 'E23000039'], // Dorset
  ['E10000010', 'E23000008'], // Durham
  ['E10000011', 'E23000033'], // East Sussex: Sussex
  ['E10000012', 'E23000028'], // Essex
  ['E10000013', 'E23000037'], // Gloucestershire
  ['E10000014', 'E23000030'], // Hampshire
  ['E10000015', 'E23000027'], // Hertfordshire
  ['E10000016', 'E23000032'], // Kent
  ['E10000017', 'E23000003'], // Lancashire
  ['E10000018', 'E23000021'], // Leicestershire
  ['E10000019', 'E23000020'], // Lincolnshire
  ['E10000020', 'E23000024'], // Norfolk
  ['E10000021', 'E23000022'], // Northamptonshire
  ['E10000022', 'E23000007'], // Northumberland: Northumbria
  ['E10000023', 'E23000009'], // North Yorkshire
  ['E10000024', 'E23000019'], // Nottinghamshire
  ['E10000025', 'E23000029'], // Oxfordshire: Thames Valley
  ['E10000026', 'E23000016'], // Shropshire: West Mercia
  ['E10000027', 'E23000036'], // Somerset: Avon and Somerset
  ['E10000028', 'E23000015'], // Staffordshire
  ['E10000029', 'E23000025'], // Suffolk
  ['E10000030', 'E23000031'], // Surrey
  ['E10000031', 'E23000017'], // Warwickshire
  ['E10000032', 'E23000033'], // West Sussex: Sussex
  ['E10000033', 'E23000038'], // Wiltshire
  ['E10000034', 'E23000016'], // Worcestershire: West Mercia
]);

/** Undefined for codes of Scotland and Northern Ireland, where the nation tells the force, and for ones unknown here. */
export const findForceAreaOfDistrict = (code: string): string | undefined =>
  districts.find(([first, last]) => code >= first && code <= last)?.[2];

export const findForceAreaOfCounty = (code: string): string | undefined => counties.get(code);
