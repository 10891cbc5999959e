//! An image for every article: its outline in its color, as SVG.

use crate::shop::catalog::Variant;

const COLORS: [(&str, &str); 10] = [
    ("Navy", "#27406b"),
    ("Red", "#b3392f"),
    ("Grey", "#8b9097"),
    ("Moss", "#6d7a45"),
    ("Ochre", "#c8922e"),
    ("Indigo", "#3d3f8f"),
    ("Chalk", "#e4ded2"),
    ("Slate", "#56616e"),
    ("Rust", "#a5502c"),
    ("Pine", "#2f5d4a"),
];

const TOP: &str = "M70 50 100 62 130 50 176 74 160 112 142 104 142 196 58 196 58 104 40 112 24 74Z";
const SHOE: &str = "M30 100 66 92 84 118 136 138Q178 146 176 166L176 176 30 176Z";
/// A loop around the neck, and two ends with fringes.
const SCARF: &str = "M44 66Q100 22 156 66L158 90Q100 126 42 90ZM66 66Q100 86 134 66Q100 44 66 66Z\
                     M100 110 130 102 146 176 116 184ZM68 102 106 110 96 198 58 192Z\
                     M62 193V205M76 196V208M90 198V210M122 183 124 194M138 179 140 190";

/// Draws `variant`. All text comes from the catalog, so nothing needs escaping.
pub(crate) fn draw_svg(variant: &Variant) -> String {
    let outline = match variant.sku.split('-').next() {
        Some("TRAIL") => SHOE,
        Some("SCARF") => SCARF,
        _ => TOP,
    };
    let value = |name: &str| {
        let attribute = variant.attributes.iter().find(|attribute| attribute.name == name);
        attribute.map_or("", |attribute| attribute.value)
    };
    let color = COLORS.iter().find(|(name, _)| *name == value("Colour"));
    let color = color.map_or("#777777", |(_, color)| color);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 200 240\" role=\"img\">\
         <title>{title}</title><rect width=\"200\" height=\"240\" fill=\"#f3eee6\"/>\
         <path d=\"{outline}\" fill=\"{color}\" stroke=\"#211d19\" stroke-width=\"3\" \
         stroke-linejoin=\"round\"/>\
         <text x=\"100\" y=\"226\" text-anchor=\"middle\" font-family=\"sans-serif\" \
         font-size=\"16\" fill=\"#211d19\">{size}</text></svg>",
        title = variant.title,
        size = value("Size"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shop::catalog::Catalog;

    #[test]
    fn every_article_has_a_colour_of_its_own() {
        for product in Catalog::new("").products {
            for variant in product.variants {
                let svg = draw_svg(&variant);
                assert!(svg.contains(&variant.title));
                assert!(!svg.contains("#777777"), "{} has no color", variant.sku);
            }
        }
    }
}
