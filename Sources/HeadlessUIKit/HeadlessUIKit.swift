// Re-exports the modules that replace `import UIKit` for code that draws and lays out: Foundation, drawing and collection view layout without a
// screen.

@_exported import Foundation
@_exported import HeadlessDrawing
@_exported import HeadlessLayout
